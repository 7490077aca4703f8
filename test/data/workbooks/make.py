"""Makes the workbooks of this folder: pip install openpyxl XlsxWriter; python make.py"""

import datetime as d

import openpyxl
import xlsxwriter

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
