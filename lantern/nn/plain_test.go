package nn

import "math"

// The operators as their definitions say, one value at a time.

// plainProduct is a·b + bias; turned, b is n rows of k.
func plainProduct(a, b, bias []float32, m, n, k int, turned bool) []float32 {
	out := make([]float32, m*n)
	for i := range m {
		for j := range n {
			sum := 0.0
			for p := range k {
				at := p*n + j
				if turned {
					at = j*k + p
				}
				sum += float64(a[i*k+p]) * float64(b[at])
			}
			if bias != nil {
				sum += float64(bias[j])
			}
			out[i*n+j] = float32(sum)
		}
	}
	return out
}

// plainConv convolves a clip; dims are N, C, O.
func plainConv(x, w, bias []float32, n, in, out int, size, kernel [3]int, opt ConvOptions) (dst []float32, result [3]int) {
	for i := range 3 {
		result[i] = (size[i]+opt.Pad[i][0]+opt.Pad[i][1]-kernel[i])/max(opt.Stride[i], 1) + 1
	}
	for img := range n {
		for o := range out {
			for p := range result[0] * result[1] * result[2] {
				at := [3]int{p / (result[1] * result[2]), p / result[2] % result[1], p % result[2]}
				sum := float64(bias[o])
				for tap := range in * kernel[0] * kernel[1] * kernel[2] {
					k := [3]int{tap / (kernel[1] * kernel[2]) % kernel[0], tap / kernel[2] % kernel[1], tap % kernel[2]}
					c := tap / (kernel[0] * kernel[1] * kernel[2])
					from, inside := (img*in+c)*size[0], true
					for i := range 3 {
						s := at[i]*max(opt.Stride[i], 1) - opt.Pad[i][0] + k[i]
						inside = inside && s >= 0 && s < size[i]
						if i > 0 {
							from *= size[i]
						}
						from += s
					}
					if inside {
						sum += float64(x[from]) * float64(w[o*in*kernel[0]*kernel[1]*kernel[2]+tap])
					}
				}
				dst = append(dst, float32(sum))
			}
		}
	}
	return dst, result
}

// plainAttention attends; bias is [B, H, Tq, Tk] or nil.
func plainAttention(q, k, v, bias []float32, b, h, tq, tk, d, dv int, scale float64) []float32 {
	out := make([]float32, b*tq*h*dv)
	s := make([]float64, tk)
	for r := range b * tq * h {
		head, i, img := r%h, r/h%tq, r/h/tq
		most, sum := math.Inf(-1), 0.0
		for j := range tk {
			s[j] = 0
			for x := range d {
				s[j] += float64(q[r*d+x]) * float64(k[((img*tk+j)*h+head)*d+x])
			}
			s[j] *= scale
			if bias != nil {
				s[j] += float64(bias[((img*h+head)*tq+i)*tk+j])
			}
			most = max(most, s[j])
		}
		for j := range s {
			s[j] = math.Exp(s[j] - most)
			sum += s[j]
		}
		for x := range dv {
			o := 0.0
			for j := range s {
				o += s[j] * float64(v[((img*tk+j)*h+head)*dv+x])
			}
			out[r*dv+x] = float32(o / sum)
		}
	}
	return out
}
