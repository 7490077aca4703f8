import { expect, test } from 'bun:test'

import { ProgressBar } from './progress.ts'

function terminal(isTTY: boolean, columns?: number) {
  const texts: string[] = []
  return {
    texts,
    isTTY,
    ...(columns !== undefined && { columns }),
    write: (text: string) => texts.push(text),
  }
}

test('a bar is drawn on a terminal whenever it changes, is full at the end, and is removed', () => {
  const screen = terminal(true)
  const bar = new ProgressBar('Backup', 1_000, screen)
  for (let index = 0; index < 1_000; index++) bar.advance()
  bar.advance(5)
  expect(screen.texts).toHaveLength(101)
  expect(screen.texts[0]).toBe(`\r\u001b[KBackup [${'.'.repeat(24)}] 0 %`)
  expect(screen.texts[50]).toBe(`\r\u001b[KBackup [${'#'.repeat(12)}${'.'.repeat(12)}] 50 %`)
  expect(screen.texts.at(-1)).toBe(`\r\u001b[KBackup [${'#'.repeat(24)}] 100 %`)
  bar.end()
  expect(screen.texts.at(-1)).toBe('\r\u001b[K')
})

test('nothing is written where there is no terminal', () => {
  const screen = terminal(false)
  const bar = new ProgressBar('Backup', 10, screen)
  bar.advance(10)
  bar.end()
  expect(screen.texts).toEqual([])
})

test.each([
  [80, `Restore [${'#'.repeat(24)}] 100 %`],
  [30, `Restore [${'#'.repeat(13)}] 100 %`],
  [10, 'Restore [] 100 %'],
  [0, `Restore [${'#'.repeat(24)}] 100 %`],
])('a bar is in one line of a terminal with %d columns', (columns, text) => {
  const screen = terminal(true, columns)
  new ProgressBar('Restore', 1, screen).advance()
  expect(screen.texts.at(-1)).toBe(`\r\u001b[K${text}`)
})

test('work without steps is done', () => {
  const screen = terminal(true)
  new ProgressBar('Apply', 0, screen).advance(0)
  expect(screen.texts[0]).toEndWith('100 %')
})

test('bytes that go through a stream advance the bar', async () => {
  const screen = terminal(true)
  const bar = new ProgressBar('Restore', 4, screen)
  const sent = new Blob(['back']).stream().pipeThrough(bar.counted())
  expect(await new Response(sent).text()).toBe('back')
  expect(screen.texts.at(-1)).toEndWith('100 %')
})
