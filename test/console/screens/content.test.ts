import { expect, test } from 'bun:test'

import { good } from '../../api/suite.ts'
import { onMainHost } from '../stage.ts'

onMainHost('content', (stage) => {
  const accent = "getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()"

  const styleCount = async (): Promise<unknown> =>
    (await stage.client.request('GET', '/styles')).body['length']

  test('a style is seen before it is saved, a poor contrast is named, and a reset takes the style back', () =>
    stage.visit('content/styles', {}, async ({ page, check }) => {
      const editor = page.getByLabel('Content of custom.css')
      await editor.fill(':root { --accent: #7a3e9d; --ink-3: #bbbbbb }')
      await page.getByText('--ink-3 on --surface is hard to read').waitFor()
      expect(await page.evaluate<string>(accent)).toBe('#7a3e9d')
      expect(await styleCount()).toBe(0)

      await editor.fill(':root { --radius: 9px }')
      await page.getByText('is hard to read').waitFor({ state: 'detached' })
      expect(await page.evaluate<string>(accent)).not.toBe('#7a3e9d')
      await page.getByRole('button', { name: 'Save', disabled: false }).click()
      await page.getByText('custom.css is saved').waitFor()
      await check('styles')
      await page.getByRole('button', { name: 'Reset' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
      await page.getByText('The original style is back').waitFor()
      expect(await styleCount()).toBe(0)
    }))

  test('a file is uploaded and deleted, and a file of a wrong type is refused in words', () =>
    stage.visit('content/files', {}, async ({ page, check, expectProblem }) => {
      await page.getByText('No files yet').waitFor()
      const choose = (name: string, mimeType: string) =>
        page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer: Buffer.from('hello') })
      await choose('note.txt', 'text/plain')
      await page.getByText('note.txt is uploaded').waitFor()
      await check('files')
      // A page of the list would have the first file alone.
      const headers = { 'content-type': 'text/plain' }
      await good(stage.client.request('POST', '/files/first.txt', { text: 'first', headers }))
      await page.route('**/files?limit=*', (route) =>
        route.continue({
          url: route
            .request()
            .url()
            .replace(/limit=\d+/, 'limit=1'),
        }),
      )
      await page.reload()
      await page.getByRole('cell', { name: 'first.txt', exact: true }).waitFor()
      await choose('note.txt', 'text/plain')
      await page.getByText('A file note.txt exists.').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
      await good(stage.client.request('DELETE', '/files/first.txt'))
      expectProblem(/415/)
      await choose('logo.png', 'image/png')
      await page.getByText('logo.png was not uploaded').waitFor()
      await page.getByRole('button', { name: 'Delete note.txt' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByText('No files yet').waitFor()
    }))

  test('a text is added, changed and removed, and a removal is undone', () =>
    stage.visit('content/translations', {}, async ({ page, check }) => {
      await page.getByRole('button', { name: 'Add text' }).click()
      await page.getByLabel('Key', { exact: true }).fill('greeting')
      await page.getByLabel('Text', { exact: true }).fill('Hello')
      await page.getByRole('button', { name: 'Save', disabled: false }).click()
      await page.getByRole('cell', { name: 'Hello' }).waitFor()
      await page.getByRole('button', { name: 'Change greeting' }).click()
      await page.getByLabel('Text', { exact: true }).fill('Good day')
      await page.getByRole('button', { name: 'Save', disabled: false }).click()
      await page.getByRole('cell', { name: 'Good day' }).waitFor()
      await check('translations')
      await page.getByRole('button', { name: 'Remove greeting' }).click()
      await page.getByText('No texts of your own').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('cell', { name: 'Good day' }).waitFor()
    }))
})
