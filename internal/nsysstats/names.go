package nsysstats

import (
	"strings"

	"reel/event"
)

// normal takes out of a range's name what differs from call to call: the counters
// that emit_nvtx appends (", op_id = N", ", seq = N", ", sizes = …"), the number of
// a loop's index, step or generation, and that of torch.profiler's steps.
func normal(name string) string {
	for _, mark := range []string{", op_id = ", ", seq = ", ", sizes = ", ", input_op_ids = "} {
		if k := strings.Index(name, mark); k > 0 {
			name = name[:k]
		}
	}
	if rest, ok := strings.CutPrefix(name, "ProfilerStep#"); ok && isNumber(rest) {
		return "ProfilerStep#N"
	}
	if k := strings.LastIndexByte(name, '['); k >= 0 && strings.HasSuffix(name, "]") {
		if in, ok := normalIndex(name[k+1 : len(name)-1]); ok {
			return name[:k+1] + in + "]"
		}
	}
	return name
}

// normalIndex is the text between brackets without its numbers: "3", "step 3",
// "gen 1, step 3".
func normalIndex(s string) (string, bool) {
	if isNumber(s) {
		return "i", true
	}
	parts := strings.Split(s, ", ")
	for i, p := range parts {
		word, num, ok := strings.Cut(p, " ")
		if !ok || !isNumber(num) || word != "step" && word != "gen" {
			return "", false
		}
		parts[i] = word + " N"
	}
	return strings.Join(parts, ", "), true
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// callName cuts the version of an entry point off a runtime call's name:
// "_v" and exactly four digits (cudaLaunchKernel_v7000); five digits stay, and so
// does the driver's "_v2".
func callName(name string) string {
	k := len(name) - len("_v7000")
	if k > 0 && name[k:k+2] == "_v" && isNumber(name[k+2:]) {
		return name[:k]
	}
	return name
}

// directions are the copies, by what producers call them.
var directions = []struct{ short, long string }{
	{"HtoA", "Host-to-Array"}, {"AtoH", "Array-to-Host"}, {"AtoA", "Array-to-Array"}, {"AtoD", "Array-to-Device"}, {"DtoA", "Device-to-Array"}, {"Memcpy Unknown", "Unknown"},
	{"HtoD", "Host-to-Device"}, {"DtoH", "Device-to-Host"}, {"DtoD", "Device-to-Device"}, {"HtoH", "Host-to-Host"}, {"PtoP", "Peer-to-Peer"},
	{"HostToDevice", "Host-to-Device"}, {"DeviceToHost", "Device-to-Host"}, {"DeviceToDevice", "Device-to-Device"}, {"HostToHost", "Host-to-Host"},
}

// operation is what a copy or set counts as: "[CUDA memcpy Host-to-Device]". A copy
// whose name tells no direction counts by its name.
func operation(name string, class event.Class) string {
	switch {
	case strings.HasPrefix(name, "[CUDA mem"):
		return name
	case class == event.Set:
		return "[CUDA memset]"
	}
	for _, d := range directions {
		if strings.Contains(name, "UVM "+d.short) {
			return "[CUDA memcpy Unified " + d.long + "]"
		}
		if strings.Contains(name, d.short) || strings.Contains(name, d.long) {
			return "[CUDA memcpy " + d.long + "]"
		}
	}
	return name
}

// baseName is a kernel's plain name: without what it returns, namespaces,
// template arguments and parameters.
func baseName(name string) string {
	s := strings.ReplaceAll(name, "(anonymous namespace)", "")
	depth, from, end := 0, 0, len(s)
scan:
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '<':
			if depth == 0 && end == len(s) {
				end = i
			}
			depth++
		case c == '>':
			depth = max(0, depth-1)
		case depth > 0:
		case c == '(':
			end = min(end, i)
			break scan
		case c == ' ' || c == ':':
			from, end = i+1, len(s)
		}
	}
	if from >= end {
		return name
	}
	return s[from:end]
}
