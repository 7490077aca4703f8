import type { Definition } from './definition.ts'
import type { Widget } from './widgets.ts'

type Texts = Readonly<Record<string, string>>

/** The texts of a dashboard that can be translated. */
export type Named = { readonly name: string; readonly description: string; readonly definition: Definition }

/** A dashboard with its texts in a language, and that language; null where it has no translation. */
export type Translated = Named & { readonly language: string | null }

/** Puts the texts of a language in place of the originals. `de-CH` falls back to `de`, and each text to the original. */
export function translated(named: Named, language: string): Translated {
  const { translations } = named.definition
  const base = language.split('-', 1)[0] ?? language
  const found = [base, language].filter((tag) => translations[tag] !== undefined)
  const used = found.at(-1)
  if (used === undefined) return { ...named, language: null }
  const texts: Texts = Object.assign({}, ...found.map((tag) => translations[tag])) as Texts
  return { ...replaced(named, texts), language: used }
}

function replaced({ name, description, definition }: Named, texts: Texts): Named {
  const of = (path: string, original: string) => texts[path] || original
  const widgets = Object.fromEntries<Widget>(
    Object.entries(definition.widgets).map(([id, widget]): [string, Widget] => {
      const at = `widgets.${id}`
      const title = of(`${at}.title`, widget.title)
      if (widget.kind === 'unknown') return [id, { ...widget, title }]
      const own = { ...widget, title, description: of(`${at}.description`, widget.description) }
      if (own.kind === 'text') return [id, { ...own, markdown: of(`${at}.markdown`, own.markdown) }]
      if (own.kind === 'script') return [id, { ...own, label: of(`${at}.label`, own.label) }]
      return [id, own]
    }),
  )
  const pages = definition.pages.map((page) => ({ ...page, title: of(`pages.${page.id}.title`, page.title) }))
  const parameters = definition.parameters.map((parameter) => {
    const at = `parameters.${parameter.name}`
    const values = parameter.values.map(({ value, label }) => ({
      value,
      label: of(`${at}.values.${String(value)}`, label),
    }))
    return { ...parameter, label: of(`${at}.label`, parameter.label), values }
  })
  return {
    name: of('name', name),
    description: of('description', description),
    definition: { ...definition, widgets, pages, parameters, translations: {} },
  }
}

/** The paths of translations that name no text of the dashboard. */
export function strayTexts({ widgets, pages, parameters, translations }: Definition): string[][] {
  const known = new Set([
    'name',
    'description',
    ...Object.entries(widgets).flatMap(([id, { kind }]) =>
      [
        'title',
        'description',
        ...(kind === 'text' ? ['markdown'] : []),
        ...(kind === 'script' ? ['label'] : []),
      ].map((field) => `widgets.${id}.${field}`),
    ),
    ...pages.map(({ id }) => `pages.${id}.title`),
    ...parameters.flatMap(({ name, values }) => [
      `parameters.${name}.label`,
      ...values.map(({ value }) => `parameters.${name}.values.${String(value)}`),
    ]),
  ])
  return Object.entries(translations).flatMap(([language, texts]) =>
    Object.keys(texts).flatMap((path) => (known.has(path) ? [] : [['translations', language, path]])),
  )
}
