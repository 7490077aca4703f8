import { expect, test } from 'bun:test'

import { portless } from '../../../test/api/portless.ts'
import { jsonResponse } from './json-answer.ts'

test.each([portless, { ...portless, appendsFields: true as const }])(
  'each answer has its own request id, and only what is so of its request',
  (ports) => {
    const answerTo = (url: string, headers: Readonly<Record<string, string>>, requestId: string) =>
      jsonResponse({ json: '{}' }, new Request(url, { headers }), { ports, requestId }).headers
    const session = { 'x-session-id': 'a session' }
    const token = { authorization: 'Bearer a.b.c', ...session }
    const answers = [
      answerTo('http://tidemark.example/', session, 'one'),
      answerTo('https://tidemark.example/', token, 'two'),
      answerTo('https://tidemark.example/?sessionId=1', {}, 'three'),
      answerTo('http://tidemark.example/', {}, 'four'),
      answerTo('http://tidemark.example/', session, 'five'),
    ]
    const names = ['x-request-id', 'deprecation', 'strict-transport-security']
    expect(answers.map((headers) => names.map((name) => headers.get(name)))).toEqual([
      ['one', '@1795219200', null],
      ['two', null, 'max-age=31536000'],
      ['three', '@1795219200', 'max-age=31536000'],
      ['four', null, null],
      ['five', '@1795219200', null],
    ])
    const steady = ['content-type', 'cache-control', 'x-content-type-options', 'referrer-policy']
    for (const headers of answers) {
      expect(steady.map((name) => headers.get(name))).toEqual([
        'application/json',
        'no-store',
        'nosniff',
        'no-referrer',
      ])
    }
  },
)
