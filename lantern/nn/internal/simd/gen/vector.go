package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// loop begins a function of slices that goes over them 8 floats at a time; body gets
// a register of each input, and returns the one to be written to the output, if any.
// What comes before the loop is made by first.
type loop struct {
	name, doc, inputs, scalars, result string
}

// each writes such a function.
func (l loop) each(body func(in []reg.VecVirtual) reg.VecVirtual) {
	signature := "func("
	var names []string
	for _, c := range l.inputs {
		names = append(names, string(c))
	}
	ptrs := map[string]reg.Register{}
	if l.result == "" {
		names = append([]string{"dst"}, names...)
	}
	for i, n := range names {
		if i > 0 {
			signature += ", "
		}
		signature += n
	}
	signature += " *float32, n int"
	if l.scalars != "" {
		signature += ", " + l.scalars
	}
	signature += ")"
	if l.result != "" {
		signature += " (r float32)"
	}
	TEXT(l.name, NOSPLIT, signature)
	Doc(l.name + " " + l.doc + "; n is a multiple of 8.")
	Pragma("noescape")
	for _, n := range names {
		ptrs[n] = Load(Param(n), GP64())
	}
	n := Load(Param("n"), GP64())
	setup()
	SHRQ(Imm(3), n)
	JZ(LabelRef("done"))
	Label("loop")
	var in []reg.VecVirtual
	for _, c := range l.inputs {
		v := YMM()
		VMOVUPS(Mem{Base: ptrs[string(c)]}, v)
		in = append(in, v)
	}
	if out := body(in); l.result == "" {
		VMOVUPS(out, Mem{Base: ptrs["dst"]})
	}
	for _, p := range names {
		ADDQ(Imm(32), ptrs[p])
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	Label("done")
	finish()
	VZEROUPPER()
	RET()
}

// setup and finish are what stands before and behind the loop of the function that
// is being written.
var setup, finish = nothing, nothing

func nothing() {}

// scalar broadcasts a parameter.
func scalar(name string) reg.VecVirtual {
	v := YMM()
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(p.Addr, v)
	return v
}

// constant broadcasts a number.
func constant(x float32) reg.VecVirtual {
	v, r, t := YMM(), GP32(), XMM()
	MOVL(U32(math.Float32bits(x)), r)
	MOVD(r, t)
	VBROADCASTSS(t, v)
	return v
}

func elementwise() {
	loop{name: "add", doc: "writes x + y", inputs: "xy"}.each(func(in []reg.VecVirtual) reg.VecVirtual {
		VADDPS(in[1], in[0], in[0])
		return in[0]
	})
	loop{name: "sub", doc: "writes x - y", inputs: "xy"}.each(func(in []reg.VecVirtual) reg.VecVirtual {
		VSUBPS(in[1], in[0], in[0])
		return in[0]
	})
	loop{name: "mul", doc: "writes x * y", inputs: "xy"}.each(func(in []reg.VecVirtual) reg.VecVirtual {
		VMULPS(in[1], in[0], in[0])
		return in[0]
	})
	loop{name: "mulAdd", doc: "writes x + y*z", inputs: "xyz"}.each(func(in []reg.VecVirtual) reg.VecVirtual {
		VFMADD231PS(in[2], in[1], in[0])
		return in[0]
	})
	loop{name: "modulate", doc: "writes x + x*y + z", inputs: "xyz"}.each(func(in []reg.VecVirtual) reg.VecVirtual {
		VADDPS(in[0], in[2], in[2])
		VFMADD231PS(in[0], in[1], in[2])
		return in[2]
	})
	var s, b reg.VecVirtual
	setup = func() { s = scalar("s") }
	loop{name: "addScaled", doc: "writes x + s*y", inputs: "xy", scalars: "s float32"}.each(func(in []reg.VecVirtual) reg.VecVirtual {
		VFMADD231PS(in[1], s, in[0])
		return in[0]
	})
	setup = func() { s, b = scalar("s"), scalar("b") }
	loop{name: "affine", doc: "writes s*x + b", inputs: "x", scalars: "s, b float32"}.each(func(in []reg.VecVirtual) reg.VecVirtual {
		VFMADD213PS(b, s, in[0])
		return in[0]
	})
	loop{name: "affine2", doc: "writes s*x*y + b", inputs: "xy", scalars: "s, b float32"}.each(func(in []reg.VecVirtual) reg.VecVirtual {
		VMULPS(in[1], in[0], in[0])
		VFMADD213PS(b, s, in[0])
		return in[0]
	})
	setup = nothing
}

func sums() {
	var sum [4]reg.VecVirtual
	zero := func() {
		sum[0] = YMM()
		VXORPS(sum[0], sum[0], sum[0])
	}
	total := func() {
		lo, hi := XMM(), XMM()
		VEXTRACTF128(Imm(1), sum[0], hi)
		VADDPS(sum[0].AsX(), hi, lo)
		VHADDPS(lo, lo, lo)
		VHADDPS(lo, lo, lo)
		Store(lo, Return("r"))
	}
	setup, finish = zero, total
	loop{name: "dot", doc: "returns the sum of x*y", inputs: "xy", result: "r"}.each(func(in []reg.VecVirtual) reg.VecVirtual {
		VFMADD231PS(in[1], in[0], sum[0])
		return nil
	})
	loop{name: "sum", doc: "returns the sum of x", inputs: "x", result: "r"}.each(func(in []reg.VecVirtual) reg.VecVirtual {
		VADDPS(in[0], sum[0], sum[0])
		return nil
	})
	var mean reg.VecVirtual
	setup = func() { zero(); mean = scalar("mean") }
	loop{name: "sumSquares", doc: "returns the sum of (x-mean)²", inputs: "x", scalars: "mean float32", result: "r"}.each(func(in []reg.VecVirtual) reg.VecVirtual {
		VSUBPS(mean, in[0], in[0])
		VFMADD231PS(in[0], in[0], sum[0])
		return nil
	})
	setup = func() { sum[0] = constant(float32(math.Inf(-1))) }
	finish = func() {
		lo, hi := XMM(), XMM()
		VEXTRACTF128(Imm(1), sum[0], hi)
		VMAXPS(sum[0].AsX(), hi, lo)
		VPERMILPS(Imm(0x4E), lo, hi)
		VMAXPS(lo, hi, lo)
		VPERMILPS(Imm(0xB1), lo, hi)
		VMAXPS(lo, hi, lo)
		Store(lo, Return("r"))
	}
	loop{name: "maximum", doc: "returns the largest x", inputs: "x", result: "r"}.each(func(in []reg.VecVirtual) reg.VecVirtual {
		VMAXPS(in[0], sum[0], sum[0])
		return nil
	})
	setup, finish = nothing, nothing
}

// rotate writes the turning of pairs.
func rotate() {
	TEXT("rotatePairs", NOSPLIT, "func(dst, x, cos, sin *float32, n int)")
	Doc("rotatePairs turns neighbouring values of x by n angles; n is a multiple of 4.")
	Pragma("noescape")
	dst, x := Load(Param("dst"), GP64()), Load(Param("x"), GP64())
	cos, sin, n := Load(Param("cos"), GP64()), Load(Param("sin"), GP64()), Load(Param("n"), GP64())
	SHRQ(Imm(2), n)
	JZ(LabelRef("done"))
	Label("loop")
	v, turned, c, s := YMM(), YMM(), YMM(), YMM()
	twice := func(from reg.Register, to reg.VecVirtual) {
		lo, hi := XMM(), XMM()
		VMOVUPS(Mem{Base: from}, lo)
		VUNPCKHPS(lo, lo, hi)
		VUNPCKLPS(lo, lo, lo)
		VINSERTF128(Imm(1), hi, lo.AsY(), to)
	}
	VMOVUPS(Mem{Base: x}, v)
	twice(cos, c)
	twice(sin, s)
	VPERMILPS(Imm(0xB1), v, turned)
	VMULPS(s, turned, turned)
	VFMADDSUB213PS(turned, c, v)
	VMOVUPS(v, Mem{Base: dst})
	ADDQ(Imm(32), dst)
	ADDQ(Imm(32), x)
	ADDQ(Imm(16), cos)
	ADDQ(Imm(16), sin)
	DECQ(n)
	JNZ(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// dots writes the products of one vector with four others.
func dots() {
	TEXT("dots4", NOSPLIT, "func(dst, x, w *float32, stride, n int)")
	Doc("dots4 writes the dot products of x with four rows of w that lie stride floats apart; n is a multiple of 8.")
	Pragma("noescape")
	x, stride, n := Load(Param("x"), GP64()), Load(Param("stride"), GP64()), Load(Param("n"), GP64())
	SHLQ(Imm(2), stride)
	var w [4]reg.Register
	var sum [4]reg.VecVirtual
	for i := range w {
		if i == 0 {
			w[0] = Load(Param("w"), GP64())
		} else {
			r := GP64()
			MOVQ(w[i-1], r)
			ADDQ(stride, r)
			w[i] = r
		}
		sum[i] = YMM()
		VXORPS(sum[i], sum[i], sum[i])
	}
	SHRQ(Imm(3), n)
	JZ(LabelRef("done"))
	Label("loop")
	v := YMM()
	VMOVUPS(Mem{Base: x}, v)
	for i := range w {
		VFMADD231PS(Mem{Base: w[i]}, v, sum[i])
		ADDQ(Imm(32), w[i])
	}
	ADDQ(Imm(32), x)
	DECQ(n)
	JNZ(LabelRef("loop"))
	Label("done")
	dst := Load(Param("dst"), GP64())
	lo, hi := YMM(), XMM()
	VHADDPS(sum[1], sum[0], sum[0])
	VHADDPS(sum[3], sum[2], sum[2])
	VHADDPS(sum[2], sum[0], lo)
	VEXTRACTF128(Imm(1), lo, hi)
	VADDPS(hi, lo.AsX(), hi)
	VMOVUPS(hi, Mem{Base: dst})
	VZEROUPPER()
	RET()
}
