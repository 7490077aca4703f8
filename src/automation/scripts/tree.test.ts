import { describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'

import { codeOf } from '../../../test/refusals.ts'
import { Refusal } from '../../lib/errors.ts'
import { detect } from './detection.ts'
import {
  allDirectories,
  blobsBetween,
  changed,
  ENTRIES_MAX,
  entriesAt,
  moving,
  putting,
  removing,
  TREE_MAX_BYTES,
  treeOf,
} from './tree.ts'
import type { Tree, TreeChange, TreeEntry } from './tree.ts'

const BARE = { sizeBytes: 1, sha256: 'x', mimeType: 'text/plain', isText: true, updatedAt: 0 }

function file(path: string, more: Partial<TreeEntry> = {}): TreeEntry {
  return { ...BARE, path, isDirectory: false, blob: `scripts/${path}`, ...more }
}

function directory(path: string): TreeEntry {
  return { ...BARE, path, isDirectory: true, blob: null, sizeBytes: 0, sha256: '' }
}

describe('a tree', () => {
  const tree = treeOf([file('a/b/c'), directory('e'), file('f')])

  test('has the directories that were made and those that something is in', () =>
    expect([...allDirectories(tree)].sort()).toEqual(['a', 'a/b', 'e']))

  test.each([
    ['f', null],
    ['new', null],
    ['e/new', null],
    ['e', 'conflict'],
    ['a', 'conflict'],
    ['a/b', 'conflict'],
    ['f/x', 'conflict'],
    ['f/x/y', 'conflict'],
  ])('a file put at %p is refused as %p', (path, code) =>
    expect(codeOf(() => changed(tree, putting(tree, file(path)), '{path}'))).toBe(code),
  )

  test.each([
    ['e', null],
    ['a', null],
    ['new/deep', null],
    ['f', 'conflict'],
    ['f/x', 'conflict'],
  ])('a directory made at %p is refused as %p', (path, code) =>
    expect(codeOf(() => changed(tree, putting(tree, directory(path)), '{path}'))).toBe(code),
  )

  test.each([
    ['f', 'g', null],
    ['a', 'z', null],
    ['a/b', 'b', null],
    ['a', 'e/a', null],
    ['e', 'a/e', null],
    ['nothing', 'x', 'not_found'],
    ['f', 'f', 'invalid'],
    ['a', 'a/x', 'invalid'],
    ['f', 'a', 'conflict'],
    ['a', 'e', 'conflict'],
    ['f', 'a/b/c', 'conflict'],
    ['a', 'f/a', 'conflict'],
  ])('moving %p to %p is refused as %p', (from, to, code) =>
    expect(codeOf(() => changed(tree, moving(tree, from, to), '/to'))).toBe(code),
  )

  test('what is moved takes what is below along, under the same blobs', () => {
    const after = changed(tree, moving(tree, 'a', 'e/z'), '/to')
    expect([...after.keys()].sort()).toEqual(['e', 'e/z/b/c', 'f'])
    expect(blobsBetween(tree, after)).toEqual({ came: [], went: [] })
  })

  test('what is removed takes what is below along', () => {
    expect(removing(tree, 'a').removes).toEqual(['a/b/c'])
    expect(codeOf(() => removing(tree, 'b'))).toBe('not_found')
    expect(codeOf(() => removing(tree, 'a/'))).toBe('not_found')
  })
})

test('2,000 files are taken and no more; one of them may be replaced', () => {
  const full = treeOf(Array.from({ length: ENTRIES_MAX }, (_, index) => file(`f${index}`)))
  expect(codeOf(() => changed(full, putting(full, file('f0')), '{path}'))).toBeNull()
  expect(codeOf(() => changed(full, putting(full, file('one-more')), '{path}'))).toBe('invalid')
  expect(codeOf(() => changed(full, putting(full, directory('one-more')), '{path}'))).toBe('invalid')
  const room = changed(full, removing(full, 'f7'), '{path}')
  expect(codeOf(() => changed(room, putting(room, directory('one-more')), '{path}'))).toBeNull()
})

test('50 MiB are taken and no more', () => {
  const tree = treeOf([file('a', { sizeBytes: TREE_MAX_BYTES - 10 })])
  expect(codeOf(() => changed(tree, putting(tree, file('b', { sizeBytes: 10 })), '{path}'))).toBeNull()
  expect(codeOf(() => changed(tree, putting(tree, file('b', { sizeBytes: 11 })), '{path}'))).toBe('invalid')
})

test('after any changes of a tree no file contains another, and the counts of added and removed blobs add up', () => {
  const path = fc
    .array(fc.constantFrom('a', 'b', 'main.py'), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join('/'))
  const step = fc.oneof(
    path.map((at) => (tree: Tree, count: number) => putting(tree, file(at, { blob: `b${count}` }))),
    path.map((at) => (tree: Tree) => putting(tree, directory(at))),
    path.map((at) => (tree: Tree) => removing(tree, at)),
    fc.tuple(path, path).map(
      ([from, to]) =>
        (tree: Tree) =>
          moving(tree, from, to),
    ),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let tree: Tree = new Map()
      const blobs = new Set<string>()
      for (const [count, one] of steps.entries()) {
        const after = attempt(tree, (was) => one(was, count))
        if (after === null) continue
        const { came, went } = blobsBetween(tree, after)
        for (const key of went) expect(blobs.delete(key)).toBe(true)
        for (const key of came) blobs.add(key)
        tree = after
        const files = [...tree.values()].filter(({ isDirectory }) => !isDirectory)
        expect(files.map(({ blob }) => blob ?? '').sort()).toEqual([...blobs].sort())
        for (const { path: at } of files) expect(entriesAt(tree, at)).toHaveLength(1)
        expect(() => detect([...tree.keys()])).not.toThrow()
      }
    }),
    { numRuns: 300 },
  )
})

function attempt(tree: Tree, make: (tree: Tree) => TreeChange): Tree | null {
  try {
    return changed(tree, make(tree), '{path}')
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
