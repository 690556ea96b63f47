package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Exponentials: e^x = 2^n · e^r with n = round(x/ln 2) and |r| ≤ ln 2 / 2, where the
// Taylor polynomial of degree 7 is exact to a float32. ln 2 is taken in two parts so
// that r keeps its bits.
type exponential struct {
	low, high, log2e, lnHigh, lnLow, one reg.VecVirtual
	poly                                 Mem
}

const (
	lowest  = -87.33 // below, e^x is no normal float32: 0 is written
	highest = 88.37  // above, e^x is taken for that of this
	lnHigh  = 0.693359375
)

// table holds the constants that need no register of their own.
func table() Mem {
	t := GLOBL("expTable", RODATA|NOPTR)
	for i, c := range []float32{1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5} {
		for k := range 8 {
			DATA(32*i+4*k, F32(c))
		}
	}
	return t
}

var expTable Mem

func (e *exponential) setup() {
	ln := math.Ln2
	e.low, e.high, e.log2e = constant(lowest), constant(highest), constant(math.Log2E)
	e.lnHigh, e.lnLow, e.one = constant(lnHigh), constant(float32(ln-lnHigh)), constant(1)
}

// of replaces x by its exponential.
func (e *exponential) of(x reg.VecVirtual) {
	n, p, normal := YMM(), YMM(), YMM()
	VCMPPS(Imm(0x0D), e.low, x, normal) // x >= low
	unordered := YMM()
	VCMPPS(Imm(0x03), x, x, unordered) // NaN stays
	VORPS(unordered, normal, normal)
	VMINPS(x, e.high, x) // the second operand, x, where one is NaN
	VMAXPS(x, e.low, x)
	VMULPS(e.log2e, x, n)
	VROUNDPS(Imm(0), n, n)
	VFNMADD231PS(e.lnHigh, n, x)
	VFNMADD231PS(e.lnLow, n, x)
	VMOVUPS(expTable, p)
	for i := 1; i < 6; i++ {
		VFMADD213PS(expTable.Offset(32*i), x, p)
	}
	VFMADD213PS(e.one, x, p)
	VFMADD213PS(e.one, x, p)
	VCVTPS2DQ(n, n)
	VPSLLD(Imm(23), n, n)
	VPADDD(n, p, x)
	VANDPS(normal, x, x)
}

func exponentials() {
	expTable = table()
	var e exponential
	var sum, shift reg.VecVirtual
	setup = func() {
		e.setup()
		shift = scalar("shift")
		sum = YMM()
		VXORPS(sum, sum, sum)
	}
	finish = func() {
		lo, hi := XMM(), XMM()
		VEXTRACTF128(Imm(1), sum, hi)
		VADDPS(sum.AsX(), hi, lo)
		VHADDPS(lo, lo, lo)
		VHADDPS(lo, lo, lo)
		Store(lo, Return("r"))
	}
	expSum(&e, &sum, &shift)
	setup, finish = e.setup, nothing
	loop{name: "silu", doc: "writes x*sigmoid(x)", inputs: "x"}.each(func(in []reg.VecVirtual) reg.VecVirtual {
		y := YMM()
		VXORPS(y, y, y)
		VSUBPS(in[0], y, y)
		e.of(y)
		VADDPS(e.one, y, y)
		VDIVPS(y, in[0], in[0])
		return in[0]
	})
	var cubic, factor reg.VecVirtual
	setup = func() {
		e.setup()
		cubic, factor = constant(0.044715), constant(-2*0.7978845608028654)
	}
	loop{name: "gelu", doc: "writes the tanh form of GELU of x", inputs: "x"}.each(func(in []reg.VecVirtual) reg.VecVirtual {
		y, sq := YMM(), YMM()
		VMULPS(in[0], in[0], sq)
		VMULPS(cubic, sq, sq)
		VMOVUPS(in[0], y)
		VFMADD231PS(in[0], sq, y) // x + 0.044715 x³
		VMULPS(factor, y, y)
		e.of(y)
		VADDPS(e.one, y, y)
		VDIVPS(y, in[0], in[0])
		return in[0]
	})
	setup = nothing
}

// expSum has an output and a result.
func expSum(e *exponential, sum, shift *reg.VecVirtual) {
	TEXT("expSum", NOSPLIT, "func(dst, x *float32, n int, shift float32) (r float32)")
	Doc("expSum writes exp(x-shift) and returns the sum of it; n is a multiple of 8.")
	Pragma("noescape")
	dst, x, n := Load(Param("dst"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	setup()
	SHRQ(Imm(3), n)
	JZ(LabelRef("done"))
	Label("loop")
	v := YMM()
	VMOVUPS(Mem{Base: x}, v)
	VSUBPS(*shift, v, v)
	e.of(v)
	VADDPS(v, *sum, *sum)
	VMOVUPS(v, Mem{Base: dst})
	ADDQ(Imm(32), dst)
	ADDQ(Imm(32), x)
	DECQ(n)
	JNZ(LabelRef("loop"))
	Label("done")
	finish()
	VZEROUPPER()
	RET()
}
