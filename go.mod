module reel

go 1.26

require (
	github.com/klauspost/compress v1.20.4
	go.yaml.in/yaml/v4 v4.0.0
)
