package timeline

import (
	"context"
	"errors"
	"fmt"
	"io"

	"reel/event"
)

// Options says what the timeline keeps beside the columns that it always has.
type Options struct {
	Args []string // keys of arguments of host ranges to keep (Timeline.RangeArg)
	// MarkArgs are keys of whole-number arguments of marks to keep (Timeline.MarkArg).
	MarkArgs []string
}

// Build reads src to its end. Faults of the input that can be skipped are
// warnings of the timeline; an error is returned with what was read before it.
func Build(ctx context.Context, src event.Source, opt Options) (*Timeline, error) {
	b := newBuilder(opt)
	var batch event.Batch
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := src.Next(&batch)
		if addErr := b.add(&batch); addErr != nil {
			return nil, addErr
		}
		if errors.Is(err, io.EOF) {
			return b.finish(src.Info()), nil
		}
		if err != nil {
			return b.finish(src.Info()), err
		}
	}
}

type markRow struct {
	at, value   int64
	name, track uint32
	class       event.Class
}

// maxRows bounds what RangeID can number.
const maxRows = min(1<<31-2, maxPlace)

// maxNames bounds the bytes of all different names.
const maxNames = 2 << 30

type builder struct {
	host  rows // ranges
	acts  rows
	marks blocks[markRow]
	names event.Strings

	tracks    []Track
	trackOf   map[event.Track]uint32
	argKeys   []string
	markKeys  []string
	markArgs  []blocks[int64]  // per markKeys, parallel to marks
	args      []blocks[NameID] // per argKeys, parallel to host.full
	strMap    []uint32         // batch string -> names, 0 = not yet
	trackMap  []uint32
	processes map[int64]string
	warnings  event.Warnings
}

func newBuilder(opt Options) *builder {
	return &builder{trackOf: map[event.Track]uint32{}, argKeys: opt.Args,
		args: make([]blocks[NameID], len(opt.Args)), markKeys: opt.MarkArgs,
		markArgs: make([]blocks[int64], len(opt.MarkArgs)), processes: map[int64]string{}}
}

// add takes over one batch.
func (b *builder) add(e *event.Batch) error {
	if b.host.len()+e.Len() > maxRows || b.acts.len()+e.Len() > maxRows {
		return fmt.Errorf("timeline: more than %d ranges", int64(maxRows))
	}
	if b.names.Size()+e.Strings.Size() > maxNames {
		return fmt.Errorf("timeline: more than %d MiB of different names", maxNames>>20)
	}
	b.strMap = resized(b.strMap, e.Strings.Len())
	if b.mapTracks(e); len(b.tracks) > maxTracks {
		return fmt.Errorf("timeline: more than %d tracks", maxTracks)
	}
	for _, w := range e.Warnings {
		b.warnings.Add(w)
	}
	keys, markKeys := b.mapKeys(e), b.mapMarkKeys(e)
	for i, k := range e.Kind {
		track := b.trackMap[e.Track[i]]
		switch {
		case k == event.Range && e.Class[i] == event.Python:
			b.host.push(fullRow{start: e.Start[i], dur: e.Dur[i], name: b.name(e, e.Name[i]), tag: tagOf(track, event.Python, event.NoRole)}, false)
		case k == event.Range:
			b.host.push(fullRow{e.Start[i], e.Dur[i], e.Link[i], e.Op[i], 0, b.name(e, e.Name[i]), tagOf(track, e.Class[i], e.Role[i])}, keys != nil)
			if keys != nil {
				b.keepArgs(e, i, keys)
			}
		case k == event.Activity:
			b.acts.push(fullRow{e.Start[i], e.Dur[i], e.Link[i], e.Op[i], e.Value[i], b.name(e, e.Name[i]), tagOf(track, e.Class[i], event.NoRole)}, false)
		case k == event.Mark || k == event.Counter:
			b.marks.push(markRow{e.Start[i], e.Value[i], b.name(e, e.Name[i]), track, e.Class[i]})
			b.keepMarkArgs(e, i, markKeys)
		case k == event.Meta:
			b.meta(e, i)
		}
	}
	return nil
}

func resized(s []uint32, n int) []uint32 {
	if cap(s) < n {
		return make([]uint32, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// name interns a string of the batch; most batches share most of their strings.
func (b *builder) name(e *event.Batch, s event.Str) uint32 {
	if s == 0 {
		return 0
	}
	if v := b.strMap[s]; v != 0 {
		return v
	}
	v, _ := b.names.AddHash(e.Strings.Bytes(s), e.Strings.Hash(s))
	b.strMap[s] = uint32(v)
	return uint32(v)
}

func (b *builder) mapTracks(e *event.Batch) {
	b.trackMap = resized(b.trackMap, max(len(e.Tracks), 1))
	for i, t := range e.Tracks {
		b.trackMap[i] = b.track(t)
	}
	if len(e.Tracks) == 0 && e.Len() > 0 {
		b.trackMap[0] = b.track(event.Track{})
	}
}

func (b *builder) track(t event.Track) uint32 {
	id, ok := b.trackOf[t]
	if !ok {
		id = uint32(len(b.tracks))
		b.trackOf[t] = id
		b.tracks = append(b.tracks, Track{Track: t})
	}
	return id
}

// mapKeys returns, per wanted argument, its key in this batch's string table,
// or nil when no arguments are wanted or the batch has none.
func (b *builder) mapKeys(e *event.Batch) map[event.Str]int {
	if len(b.argKeys) == 0 {
		return nil
	}
	keys := map[event.Str]int{}
	for i, k := range b.argKeys {
		if s, ok := e.Strings.Find(k); ok {
			keys[s] = i
		}
	}
	return keys
}

func (b *builder) keepArgs(e *event.Batch, i int, keys map[event.Str]int) {
	for k := range b.args {
		b.args[k].push(0)
	}
	lo, hi := e.ArgRange(i)
	for j := lo; j < hi; j++ {
		k, ok := keys[e.ArgKey[j]]
		if !ok {
			continue
		}
		var v uint32
		switch e.ArgKind[j] {
		case event.ArgText, event.ArgRaw:
			v = b.name(e, event.Str(e.ArgVal[j]))
		default:
			a := event.Arg{Kind: e.ArgKind[j], Num: e.ArgVal[j]}
			v = uint32(b.names.Add(a.String()))
		}
		*b.args[k].last() = v
	}
}

// mapMarkKeys returns the wanted arguments of marks as the batch numbers them; one
// that it does not have is 0, which is no key.
func (b *builder) mapMarkKeys(e *event.Batch) []event.Str {
	keys := make([]event.Str, len(b.markKeys))
	for i, k := range b.markKeys {
		keys[i], _ = e.Strings.Find(k)
	}
	return keys
}

// keepMarkArgs keeps the wanted arguments of a mark that are whole numbers.
func (b *builder) keepMarkArgs(e *event.Batch, i int, keys []event.Str) {
	for k := range keys {
		b.markArgs[k].push(NoValue)
	}
	lo, hi := e.ArgRange(i)
	for j := lo; j < hi; j++ {
		for k, want := range keys {
			if e.ArgKey[j] == want && want != 0 && e.ArgKind[j] == event.ArgInt {
				*b.markArgs[k].last() = int64(e.ArgVal[j])
			}
		}
	}
}

// meta takes the names of processes and threads.
func (b *builder) meta(e *event.Batch, i int) {
	ev := e.Event(i)
	if len(ev.Args) == 0 {
		return
	}
	switch ev.Name {
	case "thread_name":
		b.tracks[b.trackMap[e.Track[i]]].Name = ev.Args[0].String()
	case "process_name":
		b.processes[ev.Track.A] = ev.Args[0].String()
	}
}
