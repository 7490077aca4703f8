import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState, Prec } from '@codemirror/state'
import type { Extension } from '@codemirror/state'
import {
  Decoration,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
} from '@codemirror/view'
import type { DecorationSet } from '@codemirror/view'
import { tags } from '@lezer/highlight'

import type { Names } from './sql-language.ts'

export type CodeMirror = {
  readonly setNames: (names: Names) => void
  readonly close: () => void
}

type Options = {
  readonly text: string
  readonly label: string
  readonly names: Names
  /** The language with its completion, whose code is a chunk of its own. */
  readonly languageOf: (names: Names) => Extension
  readonly onText: (text: string) => void
  readonly onRun: () => void
  readonly onCancel: () => void
}

/** An editor of SQL in a shadow tree: there its styles are no text of the page, which the content policy would refuse. */
export function openCodeMirror(host: HTMLElement, options: Options): CodeMirror {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const language = new Compartment()
  const state = EditorState.create({
    doc: options.text,
    extensions: [...basics(options), language.of(options.languageOf(options.names))],
  })
  const view = new EditorView({ state, root, parent: root })
  return {
    setNames: (names) => view.dispatch({ effects: language.reconfigure(options.languageOf(names)) }),
    close: () => view.destroy(),
  }
}

function basics({ label, onText, onRun, onCancel }: Options): Extension[] {
  const done = (act: () => void) => () => {
    act()
    return true
  }
  return [
    // After the language, which closes its list first.
    Prec.high(keymap.of([{ key: 'Mod-Enter', run: done(onRun) }])),
    // Tab leaves the editor.
    keymap.of([...defaultKeymap, ...historyKeymap]),
    Prec.lowest(keymap.of([{ key: 'Escape', run: done(onCancel) }])),
    lineNumbers(),
    history(),
    drawSelection(),
    bracketMatching(),
    syntaxHighlighting(COLOURS),
    TEMPLATE,
    THEME,
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onText(update.state.doc.toString())
    }),
  ]
}

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--series-4)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--series-5)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--series-2)' },
  { tag: tags.comment, color: 'var(--ink-3)' },
])

/** Values and directives of the template, which stand in the text of the statement. */
const templateParts = new MatchDecorator({
  regexp: /\$\{[^}\n]*\}|<\/?#[^>\n]*>/g,
  decoration: Decoration.mark({ class: 'cm-template' }),
})
const TEMPLATE = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = templateParts.createDeco(view)
    }
    update(update: Parameters<typeof templateParts.updateDeco>[0]): void {
      this.decorations = templateParts.updateDeco(update, this.decorations)
    }
  },
  { decorations: (plugin) => plugin.decorations },
)

const THEME = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--surface)', maxHeight: '45vh', minHeight: '14rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '0.8125rem', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.5rem 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': {
    color: 'var(--ink-3)',
    backgroundColor: 'var(--sunken)',
    border: 'none',
    borderRight: '1px solid var(--line)',
  },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'var(--accent-soft)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '.cm-template, .cm-template *': { color: 'var(--minor)' },
  '.cm-tooltip': {
    color: 'var(--ink)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    color: 'var(--ink)',
    background: 'var(--accent-soft)',
  },
})
