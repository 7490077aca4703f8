/** Not in the list: functions that load code, read files, or show the database. */
export const SQLITE = `
abs acos acosh asin asinh atan atan2 atanh avg cast ceil ceiling char coalesce concat concat_ws cos cosh count cume_dist date datetime
degrees dense_rank exp first_value floor format glob group_concat hex ifnull iif instr json json_array json_array_length json_each
json_error_position json_extract json_group_array json_group_object json_insert json_object json_patch json_pretty json_quote
json_remove json_replace json_set json_tree json_type json_valid jsonb jsonb_array jsonb_extract jsonb_group_array jsonb_group_object
jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set julianday lag last_value lead length like likelihood likely
ln log log10 log2 lower ltrim max min mod nth_value ntile nullif octet_length percent_rank pi pow power printf quote radians random
rank replace round row_number rtrim sign sin sinh sqrt strftime string_agg substr substring sum tan tanh time timediff total trim
trunc typeof unhex unicode unixepoch unlikely upper
`
