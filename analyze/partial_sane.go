package analyze

import (
	"math"
	"reflect"
	"strconv"
	"strings"
)

// impossible finds the numbers in a report that cannot be true.
type impossible struct {
	first string // where the first is: "summary.steps[3].cpu_ns"
	n     int
}

// mayBeNegative are the fields of which a negative value can be true.
var mayBeNegative = map[string]bool{"start_unix_ns": true, "id": true}

func (f *impossible) note(path string) {
	if f.n++; f.n == 1 {
		f.first = path
	}
}

// repair sets to 0 what v points to, as far as it cannot be true: negative
// counts and durations, and what is no finite number. Fields that have no JSON
// are left alone.
func (f *impossible) repair(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			f.repair(v.Elem(), path)
		}
	case reflect.Slice:
		for i := range v.Len() {
			before := f.n
			if f.repair(v.Index(i), ""); before == 0 && f.n > 0 {
				f.first = path + "[" + strconv.Itoa(i) + "]" + f.first
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := jsonName(v.Type().Field(i))
			if name == "" || mayBeNegative[name] {
				continue
			}
			before := f.n
			if f.repair(v.Field(i), ""); before == 0 && f.n > 0 {
				f.first = path + "." + name + f.first
			}
		}
	case reflect.Map: // of numbers
		for _, k := range v.MapKeys() {
			x := reflect.New(v.Type().Elem()).Elem()
			x.Set(v.MapIndex(k))
			before := f.n
			if f.repair(x, "."+k.String()); before < f.n {
				v.SetMapIndex(k, x)
				if before == 0 {
					f.first = path + f.first
				}
			}
		}
	case reflect.Int, reflect.Int64:
		if v.Int() < 0 {
			v.SetInt(0)
			f.note(path)
		}
	case reflect.Float64:
		if x := v.Float(); !(x >= 0) || math.IsInf(x, 0) {
			v.SetFloat(0)
			f.note(path)
		}
	}
}

// jsonName returns the JSON name of a field, "" when it has none.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" || !f.IsExported() {
		return ""
	}
	return name
}

// deepCopy returns a copy of v that shares no list and no pointer with it.
func deepCopy(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			c.Set(reflect.New(v.Type().Elem()))
			c.Elem().Set(deepCopy(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			c.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				c.Index(i).Set(deepCopy(v.Index(i)))
			}
		}
	case reflect.Map:
		if !v.IsNil() {
			c.Set(reflect.MakeMap(v.Type()))
			for _, k := range v.MapKeys() {
				c.SetMapIndex(k, deepCopy(v.MapIndex(k)))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				c.Field(i).Set(deepCopy(v.Field(i)))
			}
		}
	}
	return c
}
