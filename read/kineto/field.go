package kineto

// fieldID names a member of an event.
type fieldID uint8

const (
	fSkip fieldID = iota
	fPh
	fCat
	fName
	fPid
	fTid
	fTs
	fDur
	fID
	fArgs
)

// Keys as they stand in memory, closing quote included, little-endian.
const (
	kPh   = 'p' | 'h'<<8 | '"'<<16
	kTs   = 't' | 's'<<8 | '"'<<16
	kID   = 'i' | 'd'<<8 | '"'<<16
	kCat  = 'c' | 'a'<<8 | 't'<<16 | '"'<<24
	kPid  = 'p' | 'i'<<8 | 'd'<<16 | '"'<<24
	kTid  = 't' | 'i'<<8 | 'd'<<16 | '"'<<24
	kDur  = 'd' | 'u'<<8 | 'r'<<16 | '"'<<24
	kName = 'n' | 'a'<<8 | 'm'<<16 | 'e'<<24 | '"'<<32
	kArgs = 'a' | 'r'<<8 | 'g'<<16 | 's'<<24 | '"'<<32
)

// field reads the key whose first byte is b[i]. It returns which one it is and
// where its value starts, negative when there is none.
func field(b []byte, i int) (fieldID, int) {
	w := load64(b, i)
	switch w & 0xffffffff {
	case kCat:
		return fCat, colon(b, i+3)
	case kPid:
		return fPid, colon(b, i+3)
	case kTid:
		return fTid, colon(b, i+3)
	case kDur:
		return fDur, colon(b, i+3)
	}
	switch w & 0xffffff {
	case kPh:
		return fPh, colon(b, i+2)
	case kTs:
		return fTs, colon(b, i+2)
	case kID:
		return fID, colon(b, i+2)
	}
	switch w & 0xffffffffff {
	case kName:
		return fName, colon(b, i+4)
	case kArgs:
		return fArgs, colon(b, i+4)
	}
	e, _ := stringEnd(b, i)
	if e < 0 {
		return fSkip, e
	}
	return fSkip, colon(b, e)
}
