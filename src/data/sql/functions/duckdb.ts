/** Not in the list: every table function but `range`, `generate_series`, `unnest`, `json_each` and `json_tree`, and scalar
 * functions that run SQL from a text or show the instance. */
export const DUCKDB = `
abs acos acosh age any_value apply approx_count_distinct approx_quantile arg_max arg_max_null arg_min arg_min_null array_agg
array_append array_cat array_concat array_contains array_cosine_similarity array_cross_product array_distance array_extract array_has
array_has_all array_has_any array_inner_product array_intersect array_length array_pop_back array_pop_front array_position
array_prepend array_push_back array_push_front array_reverse array_slice array_sort array_to_string array_transform array_unique
array_value ascii asin asinh atan atan2 atanh avg bar base64 bin bit_and bit_count bit_length bit_or bit_position bit_xor bool_and
bool_or cast cbrt ceil ceiling century chr coalesce columns concat concat_ws contains corr cos cosh cot count count_if count_star
covar_pop covar_samp cume_dist damerau_levenshtein date_add date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc
day dayname dayofmonth dayofweek dayofyear decade decode degrees dense_rank divide editdist3 element_at encode ends_with entropy epoch
epoch_ms epoch_ns epoch_us era even exp extract factorial favg fdiv filter first first_value flatten floor fmod format
format_bytes from_base64 from_hex fsum gamma gcd generate_series geomean geometric_mean greatest greatest_common_divisor grouping
grouping_id hamming hash hex histogram hour if ifnull instr isfinite isinf isnan isodow isoyear jaccard jaro_similarity
jaro_winkler_similarity json json_array json_array_length json_contains json_each json_exists json_extract json_extract_path
json_extract_path_text json_extract_string json_group_array json_group_object json_group_structure json_keys json_merge_patch
json_object json_pretty json_quote json_structure json_transform json_transform_strict json_tree json_type json_valid json_value
julian kahan_sum kurtosis kurtosis_pop lag last last_day last_value lcase lcm lead least least_common_multiple left left_grapheme len
length length_grapheme levenshtein lgamma list list_aggregate list_any_value list_append list_apply list_avg list_cat list_concat
list_contains list_count list_distinct list_element list_extract list_filter list_first list_has list_has_all list_has_any
list_intersect list_last list_max list_median list_min list_mode list_pack list_position list_prepend list_reduce list_resize
list_reverse list_reverse_sort list_select list_slice list_sort list_sum list_transform list_unique list_value list_where list_zip ln
log log10 log2 lower lpad ltrim mad make_date make_time make_timestamp make_timestamp_ms make_timestamptz map map_concat map_contains
map_entries map_extract map_from_entries map_keys map_values max max_by md5 mean median microsecond millennium millisecond min min_by
minute mismatches mod mode month monthname multiply nextafter nfc_normalize now nth_value ntile nullif octet_length ord parse_dirname
parse_filename percent_rank percentile_cont percentile_disc pi position pow power prefix printf product quantile quantile_cont
quantile_disc quarter radians random range rank reduce regexp_escape regexp_extract regexp_extract_all regexp_full_match
regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regr_avgx regr_avgy regr_count regr_intercept regr_r2
regr_slope regr_sxx regr_sxy regr_syy repeat replace reservoir_quantile reverse right right_grapheme round row row_number
rpad rtrim sem sha1 sha256 sign signbit sin sinh skewness split split_part sqrt starts_with stddev stddev_pop stddev_samp str_split
str_split_regex strftime string_agg string_split string_split_regex string_to_array strip_accents strlen strpos strptime struct_extract
struct_insert struct_pack substr substring substring_grapheme subtract suffix sum sumkahan tan tanh time_bucket timezone timezone_hour
timezone_minute to_base to_base64 to_binary to_centuries to_char to_days to_decades to_hex to_hours to_json to_microseconds to_millennia
to_milliseconds to_minutes to_months to_quarters to_seconds to_timestamp to_weeks to_years today transform translate trim trunc
try_cast try_strptime typeof ucase unbin unhex unicode union_extract union_tag union_value unnest unpivot_list upper url_decode
url_encode uuid var_pop var_samp variance vector_type week weekday weekofyear xor year yearweek
anti asof exclude pivot positional qualify rename semi struct unpivot
`
