package synth

import (
	"fmt"
	"strings"
)

type workKind uint8

const (
	kernel workKind = iota
	memcpy
	memset
)

// work is one thing that the device does.
type work struct {
	kind   workKind
	name   string
	dur    int64 // typical nanoseconds
	launch string
	driver bool // launched through the driver API (CUDA only)
	comm   bool // a collective
	bytes  int64
	grid   [3]int
	block  int
	regs   int
	smem   int
	copied string // ROCm's kind of a copy: HtoD
}

// op is an operator as autograd records it, with the operators that it calls and
// the work that it launches.
type op struct {
	name  string
	args  string // Concrete Inputs, Input type, … with a trailing comma
	frame string // built-in Python frame that calls it; "" for none
	calls []*op
	work  *work
	sync  bool  // the host waits for the stream afterwards
	cost  int64 // host nanoseconds beside calls and launch
	alloc int64 // bytes of its output
}

// layer is an nn.Module: its forward frame, what it calls, and how many small
// Python calls surround them.
type layer struct {
	class   string // with its index: Linear_3
	index   int
	name    string // nn.Module: Linear_3
	forward string
	chatter int
	parts   []part
}

// part is one of the two.
type part struct {
	op    *op
	layer *layer
}

// catalog makes operators and modules in the text style and vendor of a trace.
type catalog struct {
	opt     Options
	classes map[string]int
}

func (c *catalog) layer(class, forward string, chatter int, parts ...part) part {
	i := c.classes[class]
	c.classes[class]++
	l := &layer{class: fmt.Sprintf("%s_%d", class, i), index: i, forward: forward, chatter: chatter, parts: parts}
	l.name = "nn.Module: " + l.class
	return part{layer: l}
}

// tensor is an operator input; a scalar has text and no dims.
type tensor struct {
	kind string
	dims []int
	text string
}

func bf16(dims ...int) tensor               { return tensor{kind: "c10::BFloat16", dims: dims} }
func int64s(dims ...int) tensor             { return tensor{kind: "long int", dims: dims} }
func scalar(text string) tensor             { return tensor{kind: "Scalar", text: text} }
func list(text string) tensor               { return tensor{kind: "ScalarList", text: text} }
func (c *catalog) args(in ...tensor) string { return squeeze(c.opt.Style, inputs(in)) }
func (t tensor) elements() (n int64)        { return product(t.dims) }

func product(dims []int) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= int64(d)
	}
	return n
}

// inputs is the text that RecordFunction leaves of an operator's arguments.
func inputs(in []tensor) string {
	var concrete, kinds, strides, dims []string
	for _, t := range in {
		concrete = append(concrete, `"`+t.text+`"`)
		kinds = append(kinds, `"`+t.kind+`"`)
		stride := make([]int, len(t.dims))
		for i, n := len(t.dims)-1, 1; i >= 0; i-- {
			stride[i] = n
			n *= t.dims[i]
		}
		strides = append(strides, ints(stride))
		dims = append(dims, ints(t.dims))
	}
	all := func(v []string) string { return "[" + strings.Join(v, ", ") + "]" }
	return fmt.Sprintf(`"Concrete Inputs": %s, "Input type": %s, "Input Strides": %s, "Input Dims": %s, `,
		all(concrete), all(kinds), all(strides), all(dims))
}

func ints(v []int) string {
	return strings.ReplaceAll(fmt.Sprint(v), " ", ", ")
}

// op makes an operator that launches nothing itself.
func (c *catalog) op(name string, in []tensor, calls ...*op) *op {
	o := &op{name: name, args: c.args(in...), calls: calls, cost: 7800}
	if bare := strings.TrimPrefix(name, "aten::"); len(calls) > 0 {
		o.frame = "<built-in method " + bare + " of type object at 0x7f3c98a4c940>"
	}
	return o
}

// launching makes an operator that launches w.
func (c *catalog) launching(name string, in []tensor, w *work) *op {
	o := c.op(name, in)
	o.work, o.cost = w, 17_000
	for _, t := range in {
		o.alloc = max(o.alloc, 2*t.elements())
	}
	return o
}

func (c *catalog) kernel(name string, dur int64, grid [3]int, block, regs, smem int) *work {
	w := &work{name: name, dur: dur, grid: grid, block: block, regs: regs, smem: smem, launch: "cudaLaunchKernel"}
	if c.opt.Vendor == ROCm {
		w.launch = "hipLaunchKernel"
	}
	return w
}

// gemm is a matrix product by the vendor's library.
func (c *catalog) gemm(tile string, dur int64, grid [3]int) *work {
	if c.opt.Vendor == ROCm {
		w := c.kernel("Cijk_Alik_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT"+tile+"x64_MI16x16x1_SN_LDSB1_AFC1_GRVWA8_GRVWB8", dur, grid, 256, 0, 0)
		w.launch = "hipExtModuleLaunchKernel"
		return w
	}
	w := c.kernel("nvjet_tst_"+tile+"_64x6_2x1_v_bz_bias_TNT", dur, grid, 384, 168, 199680)
	w.launch = "cudaLaunchKernelExC"
	return w
}

// copies is a memory copy; its launch call names the vendor's spelling.
func (c *catalog) copies(kind, from, to string, bytes, dur int64) *work {
	w := &work{kind: memcpy, bytes: bytes, dur: dur, copied: kind, launch: "cudaMemcpyAsync"}
	w.name = fmt.Sprintf("Memcpy %s (%s -> %s)", kind, from, to)
	if c.opt.Vendor == ROCm {
		w.launch = "hipMemcpyWithStream"
		w.name = strings.ReplaceAll(w.name, "Pageable", "Host")
	}
	return w
}
