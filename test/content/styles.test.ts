import { afterAll, beforeAll, expect, test } from 'bun:test'

import { createStyle, deleteStyle, readStyle, replaceStyle } from '../../src/content/styles/service.ts'
import { rejection } from '../contract/rejection.ts'
import { precededBy } from '../hosts/interleaved.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'

const NAME = 'plant.css'
const css = (text: string) => new TextEncoder().encode(text)

let opened: Awaited<ReturnType<typeof openPorts>>
beforeAll(async () => {
  opened = await openPorts()
})
afterAll(() => opened.close())

test('a deletion under If-Match leaves a style that is replaced at the same time', async () => {
  const { ports } = opened
  const context = administratorOf(ports)
  const { etag } = await createStyle(context, NAME, css('a {}'))
  const request = new Request(`https://tidemark.example/styles/${NAME}`, { headers: { 'if-match': etag } })
  const racing = precededBy(ports, () => replaceStyle(context, NAME, css('b {}')))
  expect(await rejection(deleteStyle({ ...administratorOf(racing), request }, NAME))).toMatchObject({
    code: 'precondition_failed',
  })
  expect((await readStyle(context, NAME)).text).toBe('b {}')
})
