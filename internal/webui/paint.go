package webui

import (
	"reel/analyze"
	"reel/event"
	"reel/timeline"
)

// colours are the names of what a colour stands for; the page knows what they look
// like in light and dark. 0 is nothing.
var colours = []string{"", "request", "encode", "prepare", "diffuse", "decode", "finalize", "stage", "step",
	"annotation", "op", "runtime", "python", "overhead", "range",
	"matrix", "attention", "convolution", "norm", "elementwise", "copy", "communication", "kernel", "note", "frame"}

const (
	cNone = iota
	cRequest
	cEncode
	cPrepare
	cDiffuse
	cDecode
	cFinalize
	cStage
	cStep
	cAnnotation
	cOp
	cRuntime
	cPython
	cOverhead
	cRange
	cMatrix
	cAttention
	cConvolution
	cNorm
	cElementwise
	cCopy
	cComm
	cKernel
	cNote
	cFrame
)

// shadeShift is where the shade of a colour begins: neighbours of one colour, but of
// different names, differ in it.
const shadeShift = 5

// painter says which colour a thing has.
type painter struct {
	tl     *timeline.Timeline
	device []uint8 // by activity
}

func newPainter(tl *timeline.Timeline, roles *analyze.Roles) *painter {
	p := &painter{tl: tl, device: make([]uint8, tl.Activities.Len())}
	of := analyze.ClassOf(tl, roles)
	for i, c := range tl.Activities.Class {
		switch {
		case !c.IsWork():
			p.device[i] = cNote
		default:
			p.device[i] = classColour(of(i))
		}
		p.device[i] |= shade(tl.Activities.Name[i])
	}
	return p
}

func classColour(k analyze.KernelClass) uint8 {
	switch k {
	case analyze.MatrixKernels:
		return cMatrix
	case analyze.AttentionKernels:
		return cAttention
	case analyze.ConvolutionKernels:
		return cConvolution
	case analyze.NormKernels:
		return cNorm
	case analyze.ElementwiseKernels:
		return cElementwise
	case analyze.CopyKernels:
		return cCopy
	case analyze.CommKernels:
		return cComm
	}
	return cKernel
}

// shade spreads names over the shades.
func shade(name timeline.NameID) uint8 {
	return uint8(name*2654435761>>30) << shadeShift
}

func (p *painter) host(id int32) uint8 {
	r := &p.tl.Ranges
	s := shade(r.Name[id])
	switch r.Role[id] {
	case event.Request:
		return cRequest
	case event.Step:
		return cStep | s
	}
	switch r.Class[id] {
	case event.Op:
		return cOp | s
	case event.Annotation:
		return cAnnotation | s
	case event.Runtime, event.Driver:
		return cRuntime | s
	case event.Python:
		return cPython | s
	case event.Overhead:
		return cOverhead
	}
	return cRange | s
}

// stageColour is that of a stage's name.
func stageColour(stage string) uint8 {
	switch stage {
	case "encode":
		return cEncode
	case "prepare":
		return cPrepare
	case "diffuse":
		return cDiffuse
	case "decode":
		return cDecode
	case "finalize", "publish":
		return cFinalize
	}
	return cStage
}

func (s *planSpan) colour() uint8 {
	switch s.role {
	case "request":
		return cRequest
	case "step":
		return cDiffuse | uint8(s.Index&1)<<shadeShift
	}
	return stageColour(s.Stage)
}

// colour of a thing of a rank.
func (r *rankPicture) colour(kind byte, id int32) uint8 {
	switch kind {
	case 'h':
		return r.paint.host(id)
	case 'd':
		return r.paint.device[id]
	case 'p':
		return r.spans[id].colour()
	}
	return cFrame | uint8(id&1)<<shadeShift
}
