// Package attach is the daemon's side of PyTorch's on-demand protocol: processes that
// were started with KINETO_USE_DAEMON=1 ask it every few seconds whether they are to
// be profiled, and get a configuration when they are. The protocol is dynolog's, on
// unix datagram sockets; libkineto is the client.
//
// It profiles nothing itself and opens no trace. Linux alone has the client.
package attach

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// A message is a header of 40 bytes, size of the body and type, and the body.
const (
	headerSize = 40
	typeSize   = 32
	maxMessage = 64 << 10
	maxPIDs    = 64
)

var errMessage = errors.New("attach: no message of the on-demand protocol")

// request is what a process says of itself.
type request struct {
	Busy bool    // a profile is under way
	Job  int64   // SLURM_JOB_ID, or 0
	PIDs []int32 // its own first, then its ancestors
}

// gpuContext is the message of older versions, one for each CUDA context.
type gpuContext struct {
	GPU, PID int32
	Job      int64
}

// parse reads a message: a *request or a *gpuContext.
func parse(b []byte) (any, error) {
	if len(b) < headerSize || len(b) > maxMessage {
		return nil, errMessage
	}
	size := binary.LittleEndian.Uint64(b)
	kind, _, _ := bytes.Cut(b[8:headerSize], []byte{0})
	body := b[headerSize:]
	if size != uint64(len(body)) {
		return nil, errMessage
	}
	le := binary.LittleEndian
	switch string(kind) {
	case "req":
		if len(body) < 16 {
			return nil, errMessage
		}
		n := le.Uint32(body[4:])
		if n < 1 || n > maxPIDs || len(body) < 16+4*int(n) {
			return nil, errMessage
		}
		r := &request{Busy: le.Uint32(body) == 0, Job: int64(le.Uint64(body[8:]))}
		for i := range int(n) {
			r.PIDs = append(r.PIDs, int32(le.Uint32(body[16+4*i:])))
		}
		return r, nil
	case "ctxt":
		if len(body) < 16 {
			return nil, errMessage
		}
		return &gpuContext{int32(le.Uint32(body)), int32(le.Uint32(body[4:])), int64(le.Uint64(body[8:]))}, nil
	}
	return nil, errMessage
}

// answer makes a message.
func answer(kind string, body []byte) []byte {
	b := make([]byte, headerSize, headerSize+len(body))
	binary.LittleEndian.PutUint64(b, uint64(len(body)))
	copy(b[8:8+typeSize-1], kind)
	return append(b, body...)
}
