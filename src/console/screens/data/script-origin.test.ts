import { expect, test } from 'bun:test'

import { formatIn, refusedScript, scriptBody, scriptDraftOf } from './script-origin.ts'
import type { ScriptOrigin } from './script-origin.ts'

const STORED: ScriptOrigin = {
  kind: 'script',
  scriptId: 5,
  runConfigurationId: 3,
  output: 'tides.csv',
  file: {
    kind: 'csv',
    delimiter: ';',
    quote: "'",
    encoding: 'latin-1',
    hasHeader: true,
    skipRecords: 2,
  },
  values: {
    nulls: ['', 'NA'],
    decimal: ',',
    dateFormats: ['dd.MM.yyyy', 'd.M.yy'],
    timeZone: 'Europe/Zurich',
  },
  columns: [
    { source: 'Pegel (m)', name: 'level', type: 'number' },
    { source: 'day', name: 'day', type: 'date' },
  ],
  userId: 2,
}

test('the origin of a table in a script is sent back as it is, with what the form cannot show', () => {
  const { userId: _, ...from } = STORED
  expect(scriptBody(scriptDraftOf(STORED), STORED)).toEqual(from)
})

test('a changed format replaces the stored one, and begins with it', () => {
  const draft = scriptDraftOf(STORED)
  const format = { ...formatIn(draft, STORED), decimal: '.' as const }
  expect(format).toMatchObject({ delimiter: ';', encoding: 'latin-1', skipRecords: '2', nulls: 'NA' })
  expect(scriptBody({ ...draft, format }, STORED)).toMatchObject({
    file: { kind: 'csv', delimiter: ';', encoding: 'latin-1', skipRecords: 2 },
    values: { nulls: ['', 'NA'], decimal: '.', dateFormats: ['dd.MM.yyyy'], timeZone: 'Europe/Zurich' },
  })
})

test('a new origin is read as the name of its file says, and has a script, a file and columns', () => {
  const draft = { ...scriptDraftOf(null), scriptId: '5', output: ' tides.parquet ' }
  expect(refusedScript(draft)).toBeString()
  const columns = [{ name: 'level', source: '', type: 'number' as const }]
  expect(refusedScript({ ...draft, columns })).toBeUndefined()
  expect(refusedScript({ ...draft, columns: [...columns, ...columns] })).toBeString()
  expect(refusedScript({ ...draft, columns: [] })).toBeString()
  expect(refusedScript({ ...draft, columns, output: ' ' })).toBeString()
  expect(scriptBody({ ...draft, output: 'tides.parquet', columns }, null)).toMatchObject({
    scriptId: 5,
    runConfigurationId: null,
    output: 'tides.parquet',
    file: { kind: 'parquet' },
    columns: [{ name: 'level', source: 'level', type: 'number' }],
  })
})
