//go:build race

package xlsx

const raced = true
