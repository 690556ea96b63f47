package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// cpu writes what asks the processor.
func cpu() {
	TEXT("cpuid", NOSPLIT, "func(leaf, sub uint32) (a, b, c, d uint32)")
	Doc("cpuid asks the processor what it is.")
	Load(Param("leaf"), reg.EAX)
	Load(Param("sub"), reg.ECX)
	CPUID()
	Store(reg.EAX, Return("a"))
	Store(reg.EBX, Return("b"))
	Store(reg.ECX, Return("c"))
	Store(reg.EDX, Return("d"))
	RET()

	TEXT("xgetbv", NOSPLIT, "func() (a, d uint32)")
	Doc("xgetbv returns which registers the operating system keeps.")
	XORL(reg.ECX, reg.ECX)
	XGETBV()
	Store(reg.EAX, Return("a"))
	Store(reg.EDX, Return("d"))
	RET()
}
