// Package redact writes traces anew without what tells of people and machines:
// environments, host and user names, home folders, captured output, and secrets of
// command lines. It knows SQLite exports of Nsight Systems, Chrome traces as
// PyTorch writes them, Reel's recordings, run.json, and folders of these.
//
// It reads a file twice: first it learns the values to be removed, wherever they
// stand, then it writes all else as it was. Events, their times and their order
// do not change; names change only where they hold something that goes. After
// writing, the bytes of the output are searched for every secret that was learned;
// when one is left, the output is removed and the error says so.
//
// It cannot know what a program wrote into a range's name by itself; what looks like
// no secret stays.
package redact
