import { autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion } from '@codemirror/autocomplete'
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { MySQL, PostgreSQL, sql, SQLDialect } from '@codemirror/lang-sql'
import { EditorState, Prec } from '@codemirror/state'
import type { Extension } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import type { EditorView } from '@codemirror/view'

/** The names that can be completed. */
export type Names = {
  readonly dialect: 'postgresql' | 'mysql'
  readonly tables: Readonly<Record<string, readonly string[]>>
  readonly parameters: readonly string[]
}

/** Words of SELECT, which stay keywords also where a column has such a name. */
const RESERVED = new Set(
  (
    'all and any as asc between by case cast cross desc distinct else end except exists from full group having in inner ' +
    'intersect is join left like limit natural not null offset on or order outer over partition right select some then ' +
    'union using when where window with'
  ).split(' '),
)

/** SQL of a dialect, and completion of the names, of words of SQL and of brackets. */
export function languageOf({ dialect, tables, parameters }: Names): Extension {
  const columns = [...new Set(Object.values(tables).flat())]
  const schema = Object.fromEntries(Object.entries(tables).map(([table, own]) => [table, [...own]]))
  const complete = (context: CompletionContext): CompletionResult | null => {
    const parameter = context.matchBefore(/\$\{\w*/)
    if (parameter)
      return {
        from: parameter.from + 2,
        options: parameters.map((label) => ({ label, type: 'variable' })),
        validFor: /^\w*$/,
      }
    // Behind a table and a dot the schema completes.
    const word = context.matchBefore(/(?<![\w.])\w+/)
    if (!word) return null
    return {
      from: word.from,
      options: columns.map((label) => ({ label, type: 'property', boost: 1 })),
      validFor: /^\w*$/,
    }
  }
  return [
    Prec.highest(keymap.of([{ key: 'Mod-Enter', run: endCompletion }])),
    // Before the keys of the editor, which delete one bracket alone.
    Prec.high(keymap.of(closeBracketsKeymap)),
    closeBrackets(),
    autocompletion(),
    sql({
      dialect: dialectWith(dialect, [...Object.keys(tables), ...columns]),
      schema,
      upperCaseKeywords: true,
    }),
    EditorState.languageData.of(() => [{ autocomplete: complete }]),
  ]
}

/** A dialect in which names such as `name` and `value` are names: both dialects have hundreds of keywords that are not reserved. */
function dialectWith(dialect: Names['dialect'], names: readonly string[]): SQLDialect {
  const { spec } = dialect === 'mysql' ? MySQL : PostgreSQL
  const taken = new Set(names.map((name) => name.toLowerCase()))
  const isKeyword = (word: string): boolean => !taken.has(word) || RESERVED.has(word)
  return SQLDialect.define({
    ...spec,
    keywords: (spec.keywords ?? '').split(' ').filter(isKeyword).join(' '),
  })
}

/** Closes the list of completions, also one that is to open, as a statement is run: Escape then cancels the run. */
function endCompletion(view: EditorView): boolean {
  closeCompletion(view)
  return false
}
