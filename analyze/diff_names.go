package analyze

import "strings"

// NormalName takes out of a name what differs between two recordings of the same work:
// addresses (0x7f…), hashes of compilers, indices of loops and steps (denoise[3],
// ProfilerStep#7, denoising_step_3_t981), and the numbers that Inductor gives to kernels in
// the order in which it makes them. Each becomes "*".
func NormalName(name string) string {
	if !strings.ContainsAny(name, "0123456789") {
		return name
	}
	name = generatedTail(name)
	var b strings.Builder
	for i := 0; i < len(name); {
		c := name[i]
		if !isWord(c) {
			b.WriteByte(c)
			i++
			continue
		}
		k := i
		for k < len(name) && isWord(name[k]) {
			k++
		}
		word := name[i:k]
		before := byte(0)
		if i > 0 {
			before = name[i-1]
		}
		b.WriteString(normalWord(word, before, k < len(name) && name[k] == ']'))
		i = k
	}
	return b.String()
}

func isWord(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' }

// normalWord is a run of letters and digits; before is what stands in front of it.
func normalWord(w string, before byte, closed bool) string {
	number := digits(w) == len(w)
	switch {
	case number && (before == '#' || before == '[' && closed):
		return "*"
	case len(w) > 4 && (strings.HasPrefix(w, "0x") || strings.HasPrefix(w, "0X")) && isHex(w[2:]):
		return "0x*"
	case len(w) >= 8 && isHex(w) && mixed(w), len(w) >= 32 && mixed(w) && lower(w):
		return "*"
	}
	return w
}

func isHex(s string) bool {
	for _, c := range []byte(s) {
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return s != ""
}

// mixed says that a word has both letters and digits.
func mixed(s string) bool {
	letters := strings.Trim(s, "0123456789")
	return letters != "" && strings.ContainsAny(s, "0123456789")
}

func lower(s string) bool { return strings.ToLower(s) == s }

// generated are the beginnings of names that end in numbers of their own.
var generated = []string{"triton_", "cpp_fused_", "denoising_step_", "step_", "graph_", "extern_kernel_"}

// generatedTail replaces the numbers at the end of names of generated kernels and of
// steps: triton_poi_fused_add_12, denoising_step_3_t981.
func generatedTail(name string) string {
	for _, g := range generated {
		if !strings.HasPrefix(name, g) {
			continue
		}
		parts := strings.Split(name, "_")
		for i := len(parts) - 1; i > 0; i-- {
			p := strings.TrimPrefix(parts[i], "t")
			if p == "" || digits(p) != len(p) {
				break
			}
			parts[i] = "*"
		}
		return strings.Join(parts, "_")
	}
	return name
}

// looseName is a C++ name without its result type, parameters and template arguments.
// Names of other languages stay as they are.
func looseName(name string) string {
	if !strings.ContainsAny(name, "<(") || !strings.Contains(name, "::") && !strings.HasPrefix(name, "void ") && !strings.HasSuffix(name, ")") || strings.Contains(name, " (") {
		return name // "Memcpy HtoD (Pinned -> Device)" has no parameters
	}
	var b strings.Builder
	depth := 0
	for _, c := range []byte(strings.ReplaceAll(strings.TrimPrefix(name, "void "), "(anonymous namespace)::", "")) {
		switch c {
		case '<', '(':
			if depth == 0 && c == '<' {
				b.WriteString("<…>")
			}
			depth++
		case '>', ')':
			depth--
		default:
			if depth == 0 {
				b.WriteByte(c)
			}
		}
		if depth < 0 {
			return name // no C++ after all: operator->
		}
	}
	if depth != 0 || b.Len() == 0 {
		return name
	}
	return b.String()
}
