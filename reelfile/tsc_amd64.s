#include "textflag.h"

// func readTSC() uint64
TEXT ·readTSC(SB), NOSPLIT, $0-8
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET

// func invariantTSC() bool
// CPUID 0x80000007, EDX bit 8: the counter runs at one rate in every state.
TEXT ·invariantTSC(SB), NOSPLIT, $0-1
	MOVB  $0, ret+0(FP)
	MOVL  $0x80000000, AX
	XORL  CX, CX
	CPUID
	CMPL  AX, $0x80000007
	JB    no
	MOVL  $0x80000007, AX
	XORL  CX, CX
	CPUID
	SHRL  $8, DX
	ANDL  $1, DX
	MOVB  DX, ret+0(FP)
no:
	RET
