//go:build !race

package walktest

const race = false
