#include "textflag.h"

// func cpuid(leaf, sub uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL sub+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET

// func xgetbv() uint32
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, ret+0(FP)
	RET

// func widen16(dst *float32, src *byte, n int) (bad uint32)
//
// Sixteen halves a turn; Y1 collects where an exponent is all ones.
TEXT ·widen16(SB), NOSPLIT, $0-28
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVL $0x7c007c00, AX
	VMOVD AX, X0
	VPBROADCASTD X0, Y0
	VPXOR Y1, Y1, Y1

loop:
	VMOVDQU (SI), Y2
	VPAND Y0, Y2, Y3
	VPCMPEQW Y0, Y3, Y3
	VPOR Y3, Y1, Y1
	VCVTPH2PS (SI), Y4
	VCVTPH2PS 16(SI), Y5
	VMOVUPS Y4, (DI)
	VMOVUPS Y5, 32(DI)
	ADDQ $32, SI
	ADDQ $64, DI
	SUBQ $16, CX
	JNZ loop

	VPMOVMSKB Y1, AX
	VZEROUPPER
	MOVL AX, bad+24(FP)
	RET
