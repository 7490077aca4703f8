"""Makes the Parquet files of this folder: pip install pyarrow; python make.py"""

import datetime as d
import decimal

import pyarrow as pa
import pyarrow.parquet as pq

UTC = d.timezone.utc
table = pa.table({
    'id': pa.array(['007', '008', None], pa.string()),
    'qty': pa.array([1, -2, None], pa.int32()),
    'long': pa.array([123456789012345, -1, 0], pa.int64()),
    'ulong': pa.array([18446744073709551615, 0, 1], pa.uint64()),
    'price': pa.array([0.1, 1e25, float('nan')], pa.float64()),
    'small': pa.array([0.5, -0.25, None], pa.float32()),
    'money': pa.array([decimal.Decimal('0.30'), decimal.Decimal('-12345678901234567.89'), None], pa.decimal128(20, 2)),
    'cents': pa.array([decimal.Decimal('0.05'), decimal.Decimal('-1.10'), None], pa.decimal128(7, 2)),
    'ok': pa.array([True, False, None], pa.bool_()),
    'day': pa.array([d.date(2026, 3, 1), d.date(1900, 2, 28), None], pa.date32()),
    'at': pa.array([d.datetime(2026, 3, 1, 10, 30, 15, 250, UTC), d.datetime(1969, 12, 31, 23, 59, 59, 999999, UTC), None],
                   pa.timestamp('us', 'UTC')),
    'local': pa.array([d.datetime(2026, 3, 1, 10, 30), d.datetime(2026, 7, 1, 0, 0), None], pa.timestamp('ms')),
    'time': pa.array([d.time(7, 5), d.time(23, 59, 59, 500000), None], pa.time64('us')),
    'word': pa.array(['a', 'b', 'a']).dictionary_encode(),
    'text': pa.array(['Zürich "x"', 'line\nbreak', ''], pa.string()),
})
for codec in ('none', 'snappy', 'gzip', 'zstd'):
    pq.write_table(table, f'{codec}.parquet', compression=codec)
pq.write_table(table, 'version2.parquet', compression='zstd', data_page_version='2.0', row_group_size=2)
pq.write_table(table.select(['id', 'at']), 'int96.parquet', use_deprecated_int96_timestamps=True, use_dictionary=False)
pq.write_table(pa.table({'a': [1], 'tags': [['x']]}), 'list.parquet')
pq.write_table(pa.table({'a': [1], 'point': [{'x': 1}]}), 'struct.parquet')
pq.write_table(pa.table({'a': [1], 'bytes': pa.array([b'1234'], pa.binary(4))}), 'fixed.parquet')
pq.write_table(pa.table({'a': [1]}), 'lz4.parquet', compression='lz4')
pq.write_table(pa.table({'n': pa.array([], pa.int32())}), 'empty.parquet')
