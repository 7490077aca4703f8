/** Not in the list: `load_file`, `sleep`, `benchmark`, locks, and functions that show the server or the session. */
export const MYSQL = `
abs acos adddate addtime any_value ascii asin atan atan2 avg bin bit_and bit_count bit_length bit_or bit_xor cast ceil ceiling char
char_length character_length coalesce concat concat_ws conv convert convert_tz cos cot count crc32 cume_dist curdate current_date
current_time current_timestamp curtime date date_add date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear degrees
dense_rank elt exp export_set extract field find_in_set first_value floor format from_base64 from_days from_unixtime get_format greatest
group_concat hex hour if ifnull inet_aton inet_ntoa inet6_aton inet6_ntoa insert instr interval isnull json_array json_arrayagg
json_array_append json_array_insert json_contains json_contains_path json_depth json_exists json_extract json_insert json_keys
json_length json_merge_patch json_merge_preserve json_object json_objectagg json_overlaps json_pretty json_quote json_query json_remove
json_replace json_search json_set json_type json_unquote json_valid json_value lag last_day last_value lcase lead least left length ln
localtime localtimestamp locate log log10 log2 lower lpad ltrim make_set makedate maketime max md5 median microsecond mid min minute
mod month monthname now nth_value ntile nullif oct octet_length ord percent_rank percentile_cont percentile_disc period_add period_diff
pi position pow power quarter quote radians rand rank regexp_instr regexp_like regexp_replace regexp_substr repeat replace reverse right
round row_number rpad rtrim sec_to_time second sha sha1 sha2 sign sin soundex space sqrt std stddev stddev_pop stddev_samp str_to_date
strcmp subdate substr substring substring_index subtime sum tan time time_format time_to_sec timediff timestamp timestampadd
timestampdiff to_base64 to_days to_seconds trim truncate ucase unhex unix_timestamp upper utc_date utc_time utc_timestamp var_pop
var_samp variance week weekday weekofyear weight_string year yearweek
binary datetime div nchar regexp rlike signed unsigned varbinary xor
`
