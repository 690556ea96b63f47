#!/usr/bin/env bash
# Opens a workbook of operators in LibreOffice, and reads it with openpyxl.
#
#   scripts/check-xlsx.sh [-o FOLDER] [WORKBOOK]
#
# Without WORKBOOK it is the one that the test of render/xlsx makes, and every
# cell that LibreOffice reads is compared with the expected ones.
#   -o  keep CSV, PDF and pictures in FOLDER
# Environment:
#   REEL_XLSX_VENV   Python environment with openpyxl ($HOME/.cache/reel/xlsx); made when absent
#
# What is missing is installed where the user may (Debian: libreoffice-calc, poppler-utils); else it
# prints a "skipped" line and exits 0.
set -euo pipefail
cd "$(dirname "$0")/.."

keep=
while getopts "o:" opt; do
  case $opt in
    o) keep=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${keep:-$work/out}
mkdir -p "$out"
failed=0

if ! command -v soffice >/dev/null || ! command -v pdftoppm >/dev/null; then
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    apt-get install -y --no-install-recommends libreoffice-calc poppler-utils >"$work/apt.log" 2>&1 || true
  fi
fi
for tool in soffice pdftoppm python3; do
  command -v "$tool" >/dev/null || { echo "check-xlsx: skipped: no $tool"; exit 0; }
done

office() {
  timeout 180 soffice -env:UserInstallation="file://$work/profile" --headless --norestore --convert-to "$1" --outdir "$out" "$2" >"$work/office.log" 2>&1 ||
    { cat "$work/office.log" >&2; return 1; }
}

book=${1:-}
if [ -z "$book" ]; then
  book=$work/ops_rank0.xlsx
  REEL_KEEP_XLSX=$book go test -count=1 -run '^TestSample$' ./render/xlsx >/dev/null
  # 44 and 34: comma and quotes; 76: UTF-8; false: values, not what is shown; -1: every sheet.
  office 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1' "$book"
  for sheet in summary by_shape by_stack; do
    python3 python/integration/xlsx_check.py csv "render/xlsx/testdata/sample-$sheet.csv" "$out/ops_rank0-$sheet.csv" || failed=1
  done
fi

venv=${REEL_XLSX_VENV:-$HOME/.cache/reel/xlsx}
if ! "$venv/bin/python" -c 'import openpyxl' 2>/dev/null; then
  { python3 -m venv "$venv" && "$venv/bin/python" -m pip install --disable-pip-version-check -q -r python/integration/xlsx-requirements.txt; } >"$work/venv.log" 2>&1 || true
fi
if "$venv/bin/python" -c 'import openpyxl' 2>/dev/null; then
  "$venv/bin/python" python/integration/xlsx_check.py read "$book" || failed=1
else
  echo "check-xlsx: skipped: openpyxl cannot be installed"
fi

name=$(basename "${book%.xlsx}")
office 'pdf:calc_pdf_Export:{"SinglePageSheets":{"type":"boolean","value":"true"}}' "$book"
pdftoppm -png -r 60 "$out/$name.pdf" "$out/$name"
echo "ok   $(ls "$out/$name"*.png | wc -l) pictures of $name.xlsx${keep:+ in $keep}"
exit $failed
