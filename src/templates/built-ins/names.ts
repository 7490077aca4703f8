/** How a built-in is written: how many arguments it takes, `[0, 0]` without parentheses. */
export type Arity = {
  readonly least: number
  readonly most: number
  /** Whether its parentheses are a part of it, and not the call of its result. */
  readonly isParsed: boolean
  readonly hasLambdas: boolean
  /** Whether its left side is a loop variable. */
  readonly isOfLoop: boolean
}

const plain = (names: string, least = 0, most = least) => entries(names, { least, most })

function entries(names: string, arity: Partial<Arity>): readonly (readonly [string, Arity])[] {
  const whole = { least: 0, most: 0, isParsed: false, hasLambdas: false, isOfLoop: false, ...arity }
  return names.split(' ').map((name) => [name, whole] as const)
}

const ARITIES: ReadonlyMap<string, Arity> = new Map([
  ...plain('upper_case lower_case cap_first uncap_first capitalize trim length word_list'),
  ...plain(
    'c round floor ceiling int abs long size first last groups sort reverse min max keys values iso_utc',
  ),
  ...plain('has_content number eval_json no_esc sql_identifier sql_literal'),
  ...plain(
    'is_string is_number is_boolean is_date is_date_like is_hash is_hash_ex is_sequence is_enumerable is_indexable is_collection is_macro is_method is_directive is_date_only is_time is_datetime is_unknown_date_like is_markup_output',
  ),
  ...plain('contains starts_with ends_with seq_contains chunk', 1),
  ...plain('ensure_starts_with', 1, 3),
  ...plain('ensure_ends_with remove_beginning remove_ending', 1),
  ...plain('split matches keep_before keep_after keep_before_last keep_after_last', 1, 2),
  ...plain('index_of last_index_of seq_index_of seq_last_index_of left_pad right_pad substring', 1, 2),
  ...plain('chunk join', 1, 3),
  ...plain('chunk', 1, 2),
  ...plain('replace', 2, 3),
  ...plain('sort_by iso', 1),
  ...plain('string date time datetime', 0, Number.POSITIVE_INFINITY),
  ...entries('index counter has_next is_first is_last item_parity', { isOfLoop: true }),
  ...entries('then', { least: 2, most: 2, isParsed: true }),
  ...entries('switch', { least: 2, most: Number.POSITIVE_INFINITY, isParsed: true }),
  ...entries('map filter', { least: 1, most: 1, isParsed: true, hasLambdas: true }),
])

export const arityOf = (name: string): Arity | undefined => ARITIES.get(name)
/** All built-ins, for the page that lists them. */
export const builtInNames = (): readonly string[] => [...ARITIES.keys()]
