import { expect, test } from 'bun:test'

import { KEY_TABLE } from './key-table.ts'

test('the guide lists the keys of each place', async () => {
  const guide = await Bun.file(new URL('../../../docs/guides/console.md', import.meta.url)).text()
  const [, table = ''] = /^## Keys\n([\s\S]*?)^## /m.exec(guide) ?? []
  const listed = [...table.matchAll(/^\| (\w+) \| (.*) \|$/gm)].flatMap(([, place = '', text = '']) =>
    Array.from(text.matchAll(/`([^`]+)`/g), ([, keys]) => `${place}: ${keys}`),
  )
  const known = KEY_TABLE.map(({ place, keys }) => `${place}: ${keys}`)
  // The editor names the key that follows Esc.
  expect(listed.filter((one) => one !== 'editor: Tab').toSorted()).toEqual(known.toSorted())
})
