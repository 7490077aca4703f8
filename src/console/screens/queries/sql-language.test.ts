import { expect, test } from 'bun:test'

import { syntaxTree } from '@codemirror/language'
import { EditorState } from '@codemirror/state'

import { languageOf } from './sql-language.ts'
import type { Names } from './sql-language.ts'

const TEXT = 'select name, value, level from type where value > 3 order by name'

const keywordsOf = (names: Names): readonly string[] => {
  const state = EditorState.create({ doc: TEXT, extensions: languageOf(names) })
  const found: string[] = []
  syntaxTree(state).iterate({
    enter: ({ name, from, to }) => void (name === 'Keyword' && found.push(TEXT.slice(from, to))),
  })
  return found
}

test.each(['postgresql', 'mysql'] as const)('tables and columns of %s are no keywords', (dialect) => {
  const tables = { type: ['name', 'Value', 'level', 'order'] }
  expect(keywordsOf({ dialect, tables, parameters: [] })).toEqual(['select', 'from', 'where', 'order', 'by'])
  expect(keywordsOf({ dialect, tables: {}, parameters: [] })).toContain('level')
})
