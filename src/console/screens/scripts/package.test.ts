import { beforeAll, expect, test } from 'bun:test'

import { loadWords } from '../../language/t.ts'
import { changeText, effectOf, importable } from './package.ts'
import type { Packed } from './package.ts'
import { words } from './words.ts'

beforeAll(() => loadWords(words))

const packed = (part: Partial<Packed>): Packed => ({
  file: 'a.zip',
  name: 'a',
  group: null,
  groupExists: false,
  runner: 'shell',
  files: [],
  conflict: null,
  missingSecrets: [],
  missingDataSources: [],
  warnings: [],
  ...part,
})
const there = { scriptId: 3, identical: false, removedFiles: ['old.py'], dependents: { count: 0 } }

test('the effect of an import on a script follows from its conflict, its data sources and the choice to overwrite', () => {
  const conflict = packed({ conflict: there })
  const identical = packed({ conflict: { ...there, identical: true } })
  expect(effectOf(packed({}), false)).toBe('new')
  expect([effectOf(conflict, false), effectOf(conflict, true)]).toEqual(['taken', 'replaces'])
  expect([effectOf(identical, false), effectOf(identical, true)]).toEqual(['taken', 'identical'])
  expect(effectOf(packed({ missingDataSources: ['Sales'] }), true)).toBe('refused')
})

test('scripts that are taken or refused are not imported', () => {
  const scripts = [
    packed({}),
    packed({ name: 'b', conflict: there }),
    packed({ name: 'c', missingDataSources: ['Sales'] }),
  ]
  expect(importable({ scripts, errors: [] }, false)).toEqual(['a'])
  expect(importable({ scripts, errors: [] }, true)).toEqual(['a', 'b'])
})

test('changes of files are counted', () => {
  const files: Packed['files'] = [
    { path: 'main.py', size: 1, change: 'changed' },
    { path: 'new.py', size: 1, change: 'added' },
    { path: 'newer.py', size: 1, change: 'added' },
    { path: 'same.py', size: 1, change: 'same' },
  ]
  expect(changeText(packed({ files, conflict: there }))).toBe('2 files added, 1 file changed, 1 file deleted')
})
