package nn

import (
	"math"

	"reel/lantern/device"
	"reel/lantern/nn/internal/simd"
)

// attention is one at work. For each head, keys are packed as the panels of one
// product and values as those of another; blocks of queries then go over blocks of
// keys with a running maximum and sum, so that no more than a block of scores is
// ever held.
type attention struct {
	b, h, tq, tk, d, dv int
	scale               float32
	out, q, k, v, bias  []float32
	steps               [4]int // of the bias

	t    simd.Tile
	keys []float32 // panels of all heads
	vals []float32
}

const (
	blockQueries = 48  // a multiple of every tile's rows
	blockKeys    = 256 // a multiple of every tile's width
)

func (a *attention) work() device.Work {
	scores := int64(a.b) * int64(a.h) * int64(a.tq) * int64(a.tk)
	return device.Work{FLOPs: scores * int64(2*a.d+2*a.dv+5), Bytes: 4 * int64(len(a.q)+len(a.k)+len(a.v)+a.b*a.tq*a.h*a.dv+len(a.bias))}
}

// keyRoom and valueRoom are the floats of a head's panels.
func (a *attention) keyRoom() int { return up(a.tk, a.t.Width)*a.d + simd.Slack }

func (a *attention) valueRoom() int { return up(a.dv, a.t.Width) * a.tk }

func (a *attention) room() int { return a.b * a.h * (a.keyRoom() + a.valueRoom()) }

func (a *attention) run(k *device.Kernel, ws []float32) {
	if len(a.out) == 0 {
		return
	}
	heads := a.b * a.h
	a.keys, a.vals = ws[:heads*a.keyRoom()], ws[heads*a.keyRoom():]
	k.Ranges(heads, max(grain/(a.tk*a.d+1), 1), func(from, to int, _ *device.Lane) {
		for head := from; head < to; head++ {
			a.pack(head)
		}
	})
	blocks := (a.tq + blockQueries - 1) / blockQueries
	const least = 1 << 17 // operations that are worth another core
	k.Ranges(heads*blocks, least/(4*blockQueries*a.tk*a.d+1)+1, func(from, to int, l *device.Lane) {
		for i := from; i < to; i++ {
			first := i % blocks * blockQueries
			a.block(l, i/blocks, first, min(blockQueries, a.tq-first))
		}
	})
}

// pack lays out a head's keys and values.
func (a *attention) pack(head int) {
	w, b, h := a.t.Width, head/a.h, head%a.h
	keys, vals := a.keys[head*a.keyRoom():][:a.keyRoom()], a.vals[head*a.valueRoom():][:a.valueRoom()]
	src := a.k[(b*a.tk*a.h+h)*a.d:]
	for j := 0; j < a.tk; j += w {
		simd.Pack(keys[j*a.d:], w, src[j*a.h*a.d:], a.h*a.d, min(w, a.tk-j), a.d)
	}
	src = a.v[(b*a.tk*a.h+h)*a.dv:]
	for j := 0; j < a.dv; j += w {
		panel := vals[j*a.tk:]
		for p := range a.tk {
			row := panel[p*w : (p+1)*w]
			clear(row[copy(row, src[p*a.h*a.dv+j:p*a.h*a.dv+min(j+w, a.dv)]):])
		}
	}
}

// block attends for some queries of a head.
func (a *attention) block(l *device.Lane, head, first, rows int) {
	b, h, t := head/a.h, head%a.h, a.t
	padded, wide := up(rows, t.Rows), up(a.dv, t.Width)
	q := l.Floats(0, padded*max(a.d, blockKeys)+simd.Slack)
	scores := l.Floats(1, padded*blockKeys)
	acc := l.Floats(2, padded*wide)
	state := l.Floats(3, 2*rows+padded*a.d+simd.Slack)
	most, sum := state[:rows], state[rows:2*rows]
	queries := state[2*rows:]
	for i := range most {
		most[i], sum[i] = float32(math.Inf(-1)), 0
	}
	src := a.q[((b*a.tq+first)*a.h+h)*a.d:]
	for i := 0; i < rows; i += t.Rows {
		simd.Pack(queries[i*a.d:], t.Rows, src[i*a.h*a.d:], a.h*a.d, min(t.Rows, rows-i), a.d)
	}
	simd.Affine(queries[:padded*a.d], queries[:padded*a.d], a.scale, 0)
	for j := 0; j < a.tk; j += blockKeys {
		n := min(blockKeys, a.tk-j)
		a.score(head, queries, scores, padded, j, n)
		for i := range rows {
			s := scores[i*blockKeys : i*blockKeys+n]
			a.addBias(s, b, h, first+i, j)
			if alpha := weigh(s, &most[i], &sum[i]); j > 0 && alpha != 1 {
				row := acc[i*wide : (i+1)*wide]
				simd.Affine(row, row, alpha, 0)
			}
		}
		for i := 0; i < rows; i += t.Rows {
			simd.Pack(q[i*n:], t.Rows, scores[i*blockKeys:], blockKeys, min(t.Rows, rows-i), n)
			for x := 0; x < wide; x += t.Width {
				vals := a.vals[head*a.valueRoom()+x*a.tk+j*t.Width:]
				t.Mul(n, q[i*n:], vals, t.Width, acc[i*wide+x:], wide, j > 0)
			}
		}
	}
	for i := range rows {
		dst := a.out[((b*a.tq+first+i)*a.h+h)*a.dv:][:a.dv]
		simd.Affine(dst, acc[i*wide:], 1/sum[i], 0)
	}
}

// score computes a block of scores, for keys j to j+n-1.
func (a *attention) score(head int, queries, scores []float32, rows, j, n int) {
	t := a.t
	keys := a.keys[head*a.keyRoom():]
	for c := 0; c < n; c += t.Width {
		for i := 0; i < rows; i += t.Rows {
			t.Mul(a.d, queries[i*a.d:], keys[(j+c)*a.d:], t.Width, scores[i*blockKeys+c:], blockKeys, false)
		}
	}
}

// addBias adds the bias of query i to the scores of the keys from j on.
func (a *attention) addBias(s []float32, b, h, i, j int) {
	if a.bias == nil {
		return
	}
	at := b*a.steps[0] + h*a.steps[1] + i*a.steps[2] + j*a.steps[3]
	if a.steps[3] == 0 {
		simd.Affine(s, s, 1, a.bias[at])
		return
	}
	simd.Add(s, s, a.bias[at:])
}

// weigh makes weights of scores, against the largest so far, and returns what the
// weights before are to be multiplied by.
func weigh(s []float32, most, sum *float32) float32 {
	m := max(*most, simd.Max(s))
	if math.IsInf(float64(m), -1) { // all masked so far
		clear(s)
		return 1
	}
	alpha := float32(1)
	if *most != m {
		alpha = exp(*most - m)
	}
	*most = m
	*sum = *sum*alpha + simd.ExpSum(s, s, m)
	return alpha
}
