package xlsx

import "github.com/xuri/excelize/v2"

// styles are the numbers of the workbook's styles.
type styles struct {
	note            int
	head, of, total [numKinds]int
}

// formats are how numbers look. A switch is a word by itself, but not in every
// program.
var formats = [numKinds]string{text: "", count: "#,##0", micros: "#,##0.000", percent: "0.00", flag: `"TRUE";"TRUE";"FALSE"`}

// Colours: headings, lines, notes, and a share of 100 %.
const (
	headText, headFill = "1F2A44", "DCE6F5"
	line, quiet, most  = "6B86B5", "666666", "7FA8F0"
)

func newStyles(f *excelize.File) (s styles, err error) {
	add := func(style excelize.Style) (id int) {
		style.Font.Family, style.Font.Size = "Calibri", 11
		if err == nil {
			id, err = f.NewStyle(&style)
		}
		return id
	}
	s.note = add(excelize.Style{Font: &excelize.Font{Italic: true, Color: quiet}, Alignment: &excelize.Alignment{Horizontal: "left", Indent: 1}})
	for k, format := range formats {
		side := excelize.Alignment{Horizontal: "left", Vertical: "top", Indent: 1}
		heading := excelize.Alignment{Horizontal: "left", Vertical: "center", Indent: 1}
		if kind(k) != text {
			side, heading = excelize.Alignment{Vertical: "top"}, excelize.Alignment{Horizontal: "right", Vertical: "center", Indent: 2} // the filter's button is on the right
		}
		s.head[k] = add(excelize.Style{Font: &excelize.Font{Bold: true, Color: headText}, Alignment: &heading,
			Fill:   excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{headFill}},
			Border: []excelize.Border{{Type: "bottom", Color: line, Style: 1}}})
		style := excelize.Style{Font: &excelize.Font{}, Alignment: &side}
		if format != "" {
			style.CustomNumFmt = &format
		}
		s.of[k] = add(style)
		style.Font = &excelize.Font{Bold: true}
		style.Border = []excelize.Border{{Type: "top", Color: line, Style: 1}}
		s.total[k] = add(style)
	}
	return s, err
}
