import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { Miniflare } from 'miniflare'

import { bundleWorker } from '../hosts/bundle.ts'
import { readCases } from './cases.ts'

test('the table writes the same on workerd, whose smaller stack is a fault of the template', async () => {
  const contents = await bundleWorker(join(import.meta.dir, '../hosts/templates-worker.ts'))
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'main.mjs', contents }],
    compatibilityDate: '2026-04-01',
    cf: false,
  })
  try {
    const call = `${'<#if true>'.repeat(45)}\${${'('.repeat(40)}f(1)${')'.repeat(40)}}${'</#if>'.repeat(45)}`
    const deep = `<#function f n>${call}<#return 1></#function>\${f(1)}`
    const cases = [...readCases(), { template: deep, expected: null }]
    const body = JSON.stringify(cases.map(({ template }) => template))
    const response = await miniflare.dispatchFetch('http://edge/', { method: 'POST', body })
    expect(await response.json()).toEqual(cases.map(({ expected }) => expected))
  } finally {
    await miniflare.dispose()
  }
})
