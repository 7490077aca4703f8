"""Makes the workbooks of this folder: pip install openpyxl XlsxWriter xlwt; python make.py

`npm install --no-save @e965/xlsx@0.20.3` before, for the results of formulas."""

import datetime as d
import subprocess

import openpyxl
import xlsxwriter
import xlwt

book = xlsxwriter.Workbook('xlsxwriter.xlsx')
first = book.add_worksheet('First')
first.write(0, 0, 'only')
first.write(1, 0, 1)
sheet = book.add_worksheet('Data & more')
day = book.add_format({'num_format': 'dd.mm.yyyy'})
moment = book.add_format({'num_format': 'yyyy-mm-dd hh:mm:ss'})
time = book.add_format({'num_format': 'hh:mm'})
took = book.add_format({'num_format': '[h]:mm:ss'})
red = book.add_format({'num_format': '[Red]#,##0.00;"dry" 0'})
bold = book.add_format({'bold': True})
names = ['id', 'name', 'qty', 'price', 'day', 'at', 'time', 'took', 'ok', 'sum', 'rich', 'gap', 'far']
for column, name in enumerate(names):
    sheet.write(2, column, name)
rows = [
    ('007', 'Zürich "x"', 1, 0.1, d.date(2026, 3, 1), d.datetime(2026, 3, 1, 10, 30, 15), d.time(7, 5),
     d.timedelta(hours=26, minutes=30), True),
    ('008', 'line\nbreak <&>', -2, 0.3, d.date(1900, 2, 28), d.datetime(2026, 3, 1, 0, 0, 0, 250000),
     d.time(23, 59, 59), d.timedelta(minutes=5), False),
    ('1234567890123456789', 'a_x000D_b', 123456789012345, 1e25, d.date(9999, 12, 31),
     d.datetime(2026, 12, 31, 23, 59, 59), d.time(0, 0), d.timedelta(0), True),
]
for row, cells in enumerate(rows, start=4):
    sheet.write_string(row, 0, cells[0])
    sheet.write_string(row, 1, cells[1])
    sheet.write(row, 2, cells[2])
    sheet.write(row, 3, cells[3], red)
    for column, form in ((4, day), (5, moment), (6, time), (7, took)):
        sheet.write_datetime(row, column, cells[column], form)
    sheet.write_boolean(row, 8, cells[8])
    sheet.write_formula(row, 9, '=C%d*2' % (row + 1), value=cells[2] * 2)
    sheet.write_rich_string(row, 10, 'plain ', bold, 'bold')
sheet.merge_range('L5:L6', 'merged')
sheet.write(6, 12, 7)
book.close()

book = xlsxwriter.Workbook('1904.xlsx', {'date_1904': True})
sheet = book.add_worksheet('Days')
day = book.add_format({'num_format': 'd/m/yy'})
sheet.write(0, 0, 'day')
sheet.write_datetime(1, 0, d.date(2026, 3, 1), day)
sheet.write_datetime(2, 0, d.date(1904, 1, 2), day)
book.close()

book = openpyxl.Workbook()
sheet = book.active
sheet.title = 'Data'
sheet.append(['id', 'qty', 'day', 'at', 'ok', 'err', 'note'])
sheet.append(['007', 1, d.date(2026, 3, 1), d.datetime(2026, 3, 1, 10, 30), True, '#N/A', 'x'])
sheet.append(['008', 2.5, d.date(2026, 3, 2), d.datetime(2026, 3, 2, 0, 0), False, '#DIV/0!', None])
second = book.create_sheet('Second')
second.append(['x'])
second.append([5])
book.create_chartsheet('Chart')
book.save('openpyxl.xlsx')

book = xlwt.Workbook(encoding='utf-8')
first = book.add_sheet('First')
first.write(0, 0, 'only')
first.write(1, 0, 1)
sheet = book.add_sheet('Daten & mehr €')
style = xlwt.easyxf
day = style(num_format_str='dd.mm.yyyy')
moment = style(num_format_str='yyyy-mm-dd hh:mm:ss')
time = style(num_format_str='hh:mm')
took = style(num_format_str='[h]:mm:ss')
zeros = style(num_format_str='0000')
names = ['id', 'name', 'qty', 'price', 'day', 'at', 'time', 'took', 'ok', 'sum', 'text', 'rich', 'gap', 'far', 'zeros', 'long']
for column, name in enumerate(names):
    sheet.write(2, column, name)
rows = [
    ('007', 'Zürich "x"', 1, 0.1, d.date(2026, 3, 1), d.datetime(2026, 3, 1, 10, 30, 15), d.time(7, 5), 26.5 / 24, True),
    ('008', 'line\nbreak €😀', -2, 0.29, d.date(1900, 2, 28), d.datetime(2026, 3, 1, 0, 0, 0, 250000), d.time(23, 59, 59),
     5 / 1440, False),
    ('1234567890123456789', 'x' * 9000 + 'ü€', 123456789012345, 1e25, d.date(9999, 12, 31),
     d.datetime(2026, 12, 31, 23, 59, 59), d.time(0, 0), 0.0, True),
]
font = xlwt.easyfont('bold true')
for row, cells in enumerate(rows, start=4):
    sheet.write(row, 0, cells[0])
    sheet.write(row, 1, cells[1])
    sheet.write(row, 2, cells[2])
    sheet.write(row, 3, cells[3])
    for column, form in ((4, day), (5, moment), (6, time), (7, took)):
        sheet.write(row, column, cells[column], form)
    sheet.write(row, 8, cells[8])
    sheet.write(row, 9, xlwt.Formula('C%d*2' % (row + 1)))
    sheet.write(row, 10, xlwt.Formula('"a"&"b"'))
    sheet.write_rich_text(row, 11, ['plain ', ('bold', font)])
sheet.write_merge(4, 5, 12, 12, 'merged')
sheet.write(6, 13, 7)
sheet.write(4, 14, 42, zeros)
sheet.write(5, 15, 12345678901234567)
errors = book.add_sheet('Errors')
errors.write(0, 0, 'err')
errors.row(1).set_cell_error(0, 42)
errors.row(2).set_cell_error(0, 7)
errors.row(3).set_cell_text(0, '#N/A')
book.save('xlwt.xls')

book = xlwt.Workbook()
book.dates_1904 = True
sheet = book.add_sheet('Days')
sheet.write(0, 0, 'day')
sheet.write(1, 0, d.date(2026, 3, 1), style(num_format_str='d/m/yy'))
sheet.write(2, 0, d.date(1904, 1, 2), style(num_format_str='d/m/yy'))
book.save('1904.xls')

subprocess.run(['node', '--eval', r"""
const X = require('@e965/xlsx')
const ws = {
  '!ref': 'A1:H4',
  A1: { t: 's', v: 'id' },
  B1: { t: 's', v: 'sum' },
  C1: { t: 's', v: 'text' },
  D1: { t: 's', v: 'ok' },
  E1: { t: 's', v: 'err' },
  F1: { t: 's', v: 'day' },
  G1: { t: 's', v: 'last' },
  H1: { t: 's', v: 'h' },
  A2: { t: 's', v: '007' },
  B2: { t: 'n', v: 3, f: '1+2' },
  C2: { t: 's', v: 'aü€b', f: '"a"&"b"' },
  D2: { t: 'b', v: true, f: '1=1' },
  E2: { t: 'n', v: 1 },
  F2: { t: 'n', v: 46082, z: 'dd.mm.yyyy', f: 'DATE(2026,3,1)' },
  G2: { t: 's', v: '', f: '""' },
  H2: { t: 'n', v: 0.5, z: 'hh:mm' },
  A3: { t: 's', v: '008' },
  B3: { t: 'n', v: 1.5 },
  C3: { t: 's', v: 'plain' },
  D3: { t: 'b', v: false },
  E3: { t: 'e', v: 42, f: 'NA()' },
  F3: { t: 'n', v: 46083.5, z: 'dd.mm.yyyy hh:mm' },
  G3: { t: 'n', v: -1e300 },
}
const wb = {
  SheetNames: ['Formulas', 'Zwei'],
  Sheets: { Formulas: ws, Zwei: { '!ref': 'A1:A2', A1: { t: 's', v: 'x' }, A2: { t: 'n', v: 5 } } },
}
X.writeFile(wb, 'sheetjs.xls', { bookType: 'biff8' })
"""], check=True)
