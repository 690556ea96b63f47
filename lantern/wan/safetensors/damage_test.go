package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

// pack puts a header before n bytes of data.
func pack(header string, n int) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), make([]byte, n)...)
}

const one = `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`

// TestDamagedFile has one line for each way in which a file can be wrong: the
// error must name the file, and the tensor where there is one to blame.
func TestDamagedFile(t *testing.T) {
	nested := `{"a":` + strings.Repeat("[", 200_000)
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"empty", "w.safetensors: 0 bytes are no safetensors file", nil},
		{"short", "w.safetensors: 7 bytes are no safetensors file", make([]byte, 7)},
		{"header bomb", "w.safetensors: the header claims 1152921504606846976 bytes", binary.LittleEndian.AppendUint64(nil, 1<<60)},
		{"header over the end", "w.safetensors: the header claims 999 bytes, but the file holds 2", append(binary.LittleEndian.AppendUint64(nil, 999), "{}"...)},
		{"no object", "w.safetensors: the header is no JSON object", pack(`[]`, 0)},
		{"cut JSON", "w.safetensors: tensor a: the header is damaged", pack(one[:30], 8)},
		{"deep JSON", "w.safetensors: tensor a: the header is damaged", pack(nested, 0)},
		{"trailing JSON", "w.safetensors: something follows", pack(one+"{}", 8)},
		{"twice", "w.safetensors: tensor a: the header names it twice", pack(one[:len(one)-1]+","+one[1:], 8)},
		{"metadata", "w.safetensors: the header's metadata", pack(`{"__metadata__":{"a":[1]}}`, 0)},
		{"unknown type", `w.safetensors: tensor a: element type "Q4" is not known`, pack(strings.Replace(one, "F32", "Q4", 1), 8)},
		{"no shape", "w.safetensors: tensor a: no shape", pack(`{"a":{"dtype":"F32","data_offsets":[0,8]}}`, 8)},
		{"negative dimension", "w.safetensors: tensor a: shape [-2] cannot be", pack(strings.Replace(one, "[2]", "[-2]", 1), 8)},
		{"overflow", "w.safetensors: tensor a: shape", pack(strings.Replace(one, "[2]", "[2147483647,2147483647,2147483647]", 1), 8)},
		{"no offsets", "w.safetensors: tensor a: data_offsets", pack(`{"a":{"dtype":"F32","shape":[2]}}`, 8)},
		{"offsets swapped", "w.safetensors: tensor a: data_offsets", pack(strings.Replace(one, "[0,8]", "[8,0]", 1), 8)},
		{"size", "w.safetensors: tensor a: shape [3] of F32 takes 12 bytes, data_offsets hold 8", pack(strings.Replace(one, "[2]", "[3]", 1), 8)},
		{"truncated", "w.safetensors: tensor a: its data end at byte 8, but the file holds 7: it is truncated", pack(one, 7)},
		{"hole", "w.safetensors: tensor a: 4 bytes before its data", pack(strings.Replace(one, "[0,8]", "[4,12]", 1), 12)},
		{"rest", "w.safetensors: 1 bytes follow the last tensor", pack(one, 9)},
		{"overlap", "w.safetensors: tensor b: its data overlap", pack(one[:len(one)-1]+`,"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}`, 12)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Open(fstest.MapFS{"w.safetensors": {Data: c.data}}, "w.safetensors")
			if err == nil {
				t.Fatalf("opened: %v", got.Tensors())
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Errorf("%T is no *Error", err)
			}
		})
	}
}

// TestDamagedFolder does the same for indexes and their shards.
func TestDamagedFolder(t *testing.T) {
	file := &fstest.MapFile{Data: pack(one, 8)}
	index := func(body string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`{"weight_map":{` + body + `}}`)}
	}
	const name = "vae/model.safetensors.index.json"
	for _, c := range []struct {
		name, want string
		fsys       fstest.MapFS
	}{
		{"nothing", "vae: no safetensors files found", fstest.MapFS{"vae/config.json": {}}},
		{"no folder", "vae: file does not exist", fstest.MapFS{}},
		{"missing shard", "vae/s2.safetensors: tensor b: the shard is missing", fstest.MapFS{name: index(`"a":"s1.safetensors","b":"s2.safetensors"`), "vae/s1.safetensors": file}},
		{"missing tensor", "vae/s1.safetensors: tensor b: it is not there", fstest.MapFS{name: index(`"a":"s1.safetensors","b":"s1.safetensors"`), "vae/s1.safetensors": file}},
		{"other shard", "vae/s2.safetensors: tensor a: it is also in vae/s1.safetensors", fstest.MapFS{name: index(`"a":"s1.safetensors","b":"s2.safetensors"`), "vae/s1.safetensors": file, "vae/s2.safetensors": file}},
		{"parent", "tensor a: the index places it in \"../s1.safetensors\"", fstest.MapFS{name: index(`"a":"../s1.safetensors"`), "s1.safetensors": file}},
		{"absolute", "tensor a: the index places it in \"/etc/x.safetensors\"", fstest.MapFS{name: index(`"a":"/etc/x.safetensors"`)}},
		{"sub-folder", "tensor a: the index places it in \"x/s1.safetensors\"", fstest.MapFS{name: index(`"a":"x/s1.safetensors"`), "vae/x/s1.safetensors": file}},
		{"backslash", "tensor a: the index places it in", fstest.MapFS{name: index(`"a":"..\\s1.safetensors"`)}},
		{"dot", "tensor a: the index places it in", fstest.MapFS{name: index(`"a":"."`)}},
		{"empty name", "tensor a: the index places it in", fstest.MapFS{name: index(`"a":""`)}},
		{"other file", "tensor a: the index places it in \"config.json\"", fstest.MapFS{name: index(`"a":"config.json"`), "vae/config.json": file}},
		{"no map", `the index has no "weight_map"`, fstest.MapFS{name: {Data: []byte(`{}`)}}},
		{"no JSON", "the index is damaged", fstest.MapFS{name: {Data: []byte(`{`)}}},
		{"two indexes", "which index counts", fstest.MapFS{"vae/a.safetensors.index.json": {}, "vae/b.safetensors.index.json": {}}},
		{"same tensor in two files", "vae/b.safetensors: tensor a: it is also in vae/a.safetensors", fstest.MapFS{"vae/a.safetensors": file, "vae/b.safetensors": file}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := OpenFolder(c.fsys, "vae")
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestCutWhileOpen cuts a mapped file under the reader.
func TestCutWhileOpen(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("files are not mapped here")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "w.safetensors")
	const n = 1 << 20
	for _, d := range []DType{F32, F16, BF16} {
		if err := WriteFile(path, []Values{{Name: "a", DType: d, Shape: []int{n}, Data: make([]float32, n)}}, nil, true); err != nil {
			t.Fatal(err)
		}
		c, err := Open(os.DirFS(dir), "w.safetensors")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := os.Truncate(path, 8192); err != nil {
			t.Fatal(err)
		}
		a, _ := c.Tensor("a")
		err = a.Floats(make([]float32, n), 0)
		if err == nil || !strings.Contains(err.Error(), "w.safetensors: tensor a: its data cannot be read any more") {
			t.Errorf("%s: got %v", d, err)
		}
	}
}

// TestValues refuses types and values that no model can hold.
func TestValues(t *testing.T) {
	fsys := fstest.MapFS{}
	for name, data := range map[string][]byte{
		"F32":  {0, 0, 0, 0, 0, 0, 0xc0, 0x7f},
		"F16":  {0, 0, 0, 0x7e},
		"BF16": {0, 0, 0x80, 0xff},
	} {
		head := fmt.Sprintf(`{"a":{"dtype":%q,"shape":[2],"data_offsets":[0,%d]}}`, name, len(data))
		fsys[name] = &fstest.MapFile{Data: append(pack(head, 0), data...)}
	}
	fsys["I8"] = &fstest.MapFile{Data: pack(`{"a":{"dtype":"I8","shape":[2],"data_offsets":[0,2]}}`, 2)}
	for name, want := range map[string]string{
		"F32": "F32: tensor a: element 1 is NaN", "F16": "F16: tensor a: element 1 is NaN",
		"BF16": "BF16: tensor a: element 1 is -Inf", "I8": "I8: tensor a: element type I8 is not supported",
	} {
		c, err := Open(fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := c.Tensor("a")
		if err := a.Floats(make([]float32, 2), 0); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if err := a.Floats(make([]float32, 2), 1); err == nil {
			t.Error("read past the end")
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(pack(one, 8))
	f.Add(pack(`{"__metadata__":{"format":"pt"},"b":{"dtype":"F16","shape":[],"data_offsets":[0,2]}}`, 2))
	f.Add(pack(`{"b":{"dtype":"BF16","shape":[0,3],"data_offsets":[0,0]}}`, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Open(fstest.MapFS{"w": {Data: data}}, "w")
		if err != nil {
			if e, ok := errors.AsType[*Error](err); !ok || e.File != "w" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		for _, a := range c.Tensors() {
			if a.DType.Float() {
				a.Floats(make([]float32, a.Len()), 0)
			}
			if b, ok := c.Tensor(a.Name); !ok || !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Fatalf("%q is not found", a.Name)
			}
		}
	})
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"metadata":{"total_size":8},"weight_map":{"a":"s.safetensors"}}`))
	f.Add([]byte(`{"weight_map":{"a":"../s.safetensors"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		fsys := only{fstest.MapFS{"m/model.safetensors.index.json": {Data: data}, "m/s.safetensors": {Data: pack(one, 8)}}, t}
		c, err := OpenFolder(fsys, "m")
		if err == nil && len(c.Tensors()) != 1 {
			t.Fatal("a checkpoint without its tensor")
		}
	})
}

// only fails the test when a file outside the folder is asked for.
type only struct {
	fs.FS
	t *testing.T
}

func (o only) Open(name string) (fs.File, error) {
	if name != "m" && filepath.ToSlash(filepath.Dir(name)) != "m" {
		o.t.Errorf("opens %q", name)
	}
	return o.FS.Open(name)
}
