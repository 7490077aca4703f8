import { expect, test } from 'bun:test'

import { frameOf, heartbeatOf, retryOf } from './server-sent-events.ts'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

test('a frame has its id, its kind and one line of data', () => {
  expect(text(frameOf('3-7', 'state', { name: 'a\nb\r\u2028' }))).toBe(
    'id: 3-7\nevent: state\ndata: {"name":"a\\nb\\r\u2028"}\n\n',
  )
})

test('a heartbeat is a comment with an id, and a retry frame has the delay', () => {
  expect(text(heartbeatOf('3-7'))).toBe(': still here\nid: 3-7\n\n')
  expect(text(retryOf(2_500))).toBe('retry: 2500\n\n')
})
