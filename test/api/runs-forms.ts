import { expect } from 'bun:test'

import type { JobView } from '../../src/automation/runs/schema.ts'
import type { Client } from './client.ts'
import { bytes } from './file-samples.ts'
import { formOf, scriptOf } from './runs-stage.ts'
import { expectAnswer, good } from './suite.ts'
import type { Row, Scenario } from './suite.ts'

const FILE = { name: 'x.csv', type: 'text/csv', bytes: 'a,b\n' }

/** The contents of a form, and the answer to it. */
const FORMS: readonly (readonly [
  title: string,
  parts: Parameters<typeof formOf>[0],
  answers: Row['answers'],
  pointers?: readonly string[],
])[] = [
  [
    'ten files',
    Array.from({ length: 10 }, (_, at) => ['file', { ...FILE, name: `${at}.csv` }] as const),
    202,
  ],
  [
    'eleven files',
    Array.from({ length: 11 }, (_, at) => ['file', { ...FILE, name: `${at}.csv` }] as const),
    'invalid',
    ['/file'],
  ],
  [
    'a name twice',
    [
      ['file', FILE],
      ['file', FILE],
    ],
    'invalid',
    ['/file'],
  ],
  ['a file called otherwise', [['upload', FILE]], 'invalid', ['/upload']],
  ['an unknown field', [['odd', '1']], 'invalid', ['/odd']],
  ['parameters that are no JSON', [['parameters', '{']], 'invalid', ['/parameters']],
  ['parameters that are no object', [['parameters', '[]']], 'invalid', ['/parameters']],
  ['an id that is none', [['runConfigurationId', 'x']], 'invalid', ['/runConfigurationId']],
  ['a type that no script takes', [['file', { ...FILE, type: 'image/png' }]], 'unsupported_media_type'],
  [
    'a type that this script does not take',
    [['file', { ...FILE, type: 'text/plain' }]],
    'unsupported_media_type',
  ],
  [
    'bytes that are not of the declared type',
    [['file', { ...FILE, bytes: bytes('\x89PNG\r\n\x1a\n\0\0') }]],
    'unsupported_media_type',
  ],
  [
    'text that is declared as a spreadsheet',
    [['file', { ...FILE, type: 'application/pdf' }]],
    'unsupported_media_type',
  ],
  ['a file without a type, by its name', [['file', { ...FILE, type: '' }]], 202],
  ['as much as a file may be', [['file', { ...FILE, bytes: 'x'.repeat(10 * 1024 * 1024) }]], 202],
  ['more than a file may be', [['file', { ...FILE, bytes: 'x'.repeat(10 * 1024 * 1024 + 1) }]], 'too_large'],
]

/** Which files a run takes. */
export const runForms: readonly Scenario[] = FORMS.map(([title, parts, answers, pointers]) => ({
  title: `${title}: a form with it answers ${answers}`,
  async run(client: Client) {
    const script = await scriptOf(client, { acceptedFiles: ['text/csv', 'application/pdf'] })
    const answer = await client.request('POST', `/scripts/${script}/run`, await formOf(parts))
    expectAnswer(answer, { answers, ...(pointers && { pointers }) })
    if (answers === 'unsupported_media_type')
      expect(answer.body['allowed']).toEqual(['text/csv', 'application/pdf'])
    const jobs = await good<JobView[]>(client.request('GET', `/scripts/${script}/jobs`))
    expect(jobs).toHaveLength(answers === 202 ? 1 : 0)
  },
}))
