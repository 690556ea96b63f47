// Package query answers SQL over timelines: virtual tables of SQLite that read the
// timelines' own columns, so that nothing is copied, and a few views. What there
// is stands in one list (Tables), from which the tables are made and documented.
//
// Only SELECT is let through; a query is bounded in memory and ends with its
// context. The package opens no trace and prints nothing.
package query
