package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tile is a micro-kernel: rows of a times vectors of b.
type tile struct {
	level         string
	rows, vectors int
	bytes         int // of a vector register
}

func (t tile) reg() reg.VecVirtual {
	if t.bytes == 64 {
		return ZMM()
	}
	return YMM()
}

// gemm writes c = a·b, or c += a·b when acc is not 0, for a tile of c. a is packed:
// for each step of k one value of each row. b has a row of the tile's width for each
// step, ldb floats apart, or with offsets from b for each step.
func gemm(t tile, indirect bool) {
	name, how := "gemm"+t.level, "ldb int"
	text := "whose rows of b lie ldb floats apart"
	if indirect {
		name, how, text = name+"Indirect", "offs *int32", "whose rows of b lie at offsets in floats"
	}
	TEXT(name, NOSPLIT, fmt.Sprintf("func(k int, a, b *float32, %s, c *float32, ldc int, acc int)", how))
	Doc(fmt.Sprintf("%s computes a tile of %d by %d, %s.", name, t.rows, t.vectors*t.bytes/4, text))
	Pragma("noescape")
	k, a, b := Load(Param("k"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	var ld, offs reg.Register
	if indirect {
		offs = Load(Param("offs"), GP64())
	} else {
		ld = Load(Param("ldb"), GP64())
		SHLQ(Imm(2), ld)
	}
	sums := make([][]reg.VecVirtual, t.rows)
	for i := range sums {
		for range t.vectors {
			v := t.reg()
			if t.bytes == 64 {
				VPXORD(v, v, v)
			} else {
				VXORPS(v, v, v)
			}
			sums[i] = append(sums[i], v)
		}
	}
	TESTQ(k, k)
	JZ(LabelRef("store"))
	row, x := GP64(), t.reg()
	vec := make([]reg.VecVirtual, t.vectors)
	for v := range vec {
		vec[v] = t.reg()
	}
	Label("loop")
	if indirect {
		MOVLQSX(Mem{Base: offs}, row)
		ADDQ(Imm(4), offs)
	}
	for v := range vec {
		m := Mem{Base: b, Disp: v * t.bytes}
		if indirect {
			m.Index, m.Scale = row, 4
		}
		VMOVUPS(m, vec[v])
	}
	for i := range t.rows {
		VBROADCASTSS(Mem{Base: a, Disp: 4 * i}, x)
		for v := range vec {
			VFMADD231PS(vec[v], x, sums[i][v])
		}
	}
	ADDQ(Imm(uint64(4*t.rows)), a)
	if !indirect {
		ADDQ(ld, b)
	}
	DECQ(k)
	JNZ(LabelRef("loop"))
	Label("store")
	c, ldc, acc := Load(Param("c"), GP64()), Load(Param("ldc"), GP64()), Load(Param("acc"), GP64())
	SHLQ(Imm(2), ldc)
	TESTQ(acc, acc)
	JZ(LabelRef("write"))
	at := GP64()
	MOVQ(c, at)
	for i := range t.rows {
		for v := range vec {
			VADDPS(Mem{Base: at, Disp: v * t.bytes}, sums[i][v], sums[i][v])
		}
		if i < t.rows-1 {
			ADDQ(ldc, at)
		}
	}
	Label("write")
	for i := range t.rows {
		for v := range vec {
			VMOVUPS(sums[i][v], Mem{Base: c, Disp: v * t.bytes})
		}
		if i < t.rows-1 {
			ADDQ(ldc, c)
		}
	}
	VZEROUPPER()
	RET()
}

// transpose writes the packing of rows: eight rows at a time become columns.
func transpose() {
	TEXT("transpose8", NOSPLIT, "func(dst *float32, ldd int, src *float32, lds int, n int)")
	Doc("transpose8 writes dst[j*ldd+i] = src[i*lds+j] for 8 rows i and n columns j; n is a multiple of 8.",
		"It writes 8 floats at each j, in order, so that ldd may be less than 8 when what follows is overwritten.")
	Pragma("noescape")
	dst, ldd, src := Load(Param("dst"), GP64()), Load(Param("ldd"), GP64()), Load(Param("src"), GP64())
	lds, n := Load(Param("lds"), GP64()), Load(Param("n"), GP64())
	SHLQ(Imm(2), ldd)
	SHLQ(Imm(2), lds)
	SHRQ(Imm(3), n)
	JZ(LabelRef("done"))
	Label("loop")
	var r, u [8]reg.VecVirtual
	at := GP64()
	MOVQ(src, at)
	for i := range r {
		r[i] = YMM()
		VMOVUPS(Mem{Base: at}, r[i])
		if i < 7 {
			ADDQ(lds, at)
		}
	}
	for i := 0; i < 8; i += 2 {
		u[i], u[i+1] = YMM(), YMM()
		VUNPCKLPS(r[i+1], r[i], u[i])
		VUNPCKHPS(r[i+1], r[i], u[i+1])
	}
	var q [8]reg.VecVirtual
	for i := 0; i < 8; i += 4 {
		for j := range 4 {
			q[i+j] = YMM()
		}
		VSHUFPS(Imm(0x44), u[i+2], u[i], q[i])
		VSHUFPS(Imm(0xEE), u[i+2], u[i], q[i+1])
		VSHUFPS(Imm(0x44), u[i+3], u[i+1], q[i+2])
		VSHUFPS(Imm(0xEE), u[i+3], u[i+1], q[i+3])
	}
	for half, imm := range []uint64{0x20, 0x31} {
		for j := range 4 {
			v := YMM()
			VPERM2F128(Imm(imm), q[4+j], q[j], v)
			VMOVUPS(v, Mem{Base: dst})
			if half == 0 || j < 4 {
				ADDQ(ldd, dst)
			}
		}
	}
	ADDQ(Imm(32), src)
	DECQ(n)
	JNZ(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}
