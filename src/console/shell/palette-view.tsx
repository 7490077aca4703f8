import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'

import { useUrl } from '../api/resource.ts'
import { Kbd } from '../kit/controls.tsx'
import { Icon } from '../kit/icons.tsx'
import type { IconName } from '../kit/icons.tsx'
import { linkTo, objectLink } from '../kit/location.ts'
import { t } from '../language/t.ts'
import { entriesOfUser } from './navigation.ts'
import { ObjectActions } from './palette-actions.tsx'
import { commandOptions } from './palette-commands.ts'
import { matchIn, ranked, searchUrl } from './palette-search.ts'
import type { Found, Option } from './palette-search.ts'
import { visited } from './visited.ts'

const TYPING_MS = 120
const ICONS: Readonly<Record<Found['type'], IconName>> = {
  group: 'group',
  device: 'device',
  job: 'job',
  slo: 'slo',
  slc: 'slo',
}
type Section = { readonly title: string; readonly options: readonly Option[] }

/** Search and jump: the last objects, objects by name, path or id, screens and commands. */
export function PaletteView({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { route } = useLocation()
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const { sections, isSearching } = useSections(typed)
  const options = sections.flatMap((section) => section.options)
  const chosen = options[Math.min(at, options.length - 1)]
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  useEffect(() => {
    if (chosen) document.getElementById(idOf(chosen))?.scrollIntoView({ block: 'nearest' })
  }, [chosen?.key])
  const open = (option: Option): void => {
    onClose()
    if (typeof option.act === 'string') route(option.act)
    else option.act()
  }
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setAt((at + step + options.length) % Math.max(1, options.length))
    else if (event.key === 'Enter' && chosen) open(chosen)
    else return
    event.preventDefault()
  }
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={t('shell.jump')}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      <div class="q">
        <Icon name="search" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-autocomplete="list"
          aria-label={t('palette.label')}
          {...(chosen ? { 'aria-activedescendant': idOf(chosen) } : {})}
          placeholder={t('palette.placeholder')}
          autocomplete="off"
          spellcheck={false}
          autofocus
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={press}
        />
      </div>
      <List sections={sections} chosen={chosen} typed={typed} onOpen={open} />
      <p class="vh" role="status">
        {isSearching ? '' : t('palette.count', { count: options.length })}
      </p>
      {options.length === 0 && !isSearching && <p class="pad quiet">{t('palette.none', { text: typed })}</p>}
      <footer>
        {chosen?.object ? (
          <ObjectActions key={chosen.key} object={chosen.object} onDone={onClose} />
        ) : (
          <span class="label">{t('palette.hint')}</span>
        )}
        <span class="end row label hide-s">
          <Kbd>↑ ↓</Kbd> <Kbd>Enter</Kbd> <Kbd>Tab</Kbd> <Kbd>Esc</Kbd>
        </span>
      </footer>
    </dialog>
  )
}

const idOf = ({ key }: Option): string => `palette-${key}`

type ListProps = {
  readonly sections: readonly Section[]
  readonly chosen: Option | undefined
  readonly typed: string
  readonly onOpen: (option: Option) => void
}

function List({ sections, chosen, typed, onOpen }: ListProps): JSX.Element {
  return (
    <div class="list" id="palette-list" role="listbox" aria-label={t('shell.jump')} tabIndex={-1}>
      {sections.map(({ title, options }) => (
        <div key={title} role="group" aria-label={title}>
          <div class="gh" aria-hidden="true">
            {title}
          </div>
          {options.map((option) => (
            <div
              key={option.key}
              id={idOf(option)}
              role="option"
              aria-selected={option.key === chosen?.key}
              onClick={() => onOpen(option)}
            >
              <Icon name={option.icon} />
              <Marked name={option.text} typed={typed} />
              <span class="label cut end">{option.note}</span>
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}

function Marked({ name, typed }: { readonly name: string; readonly typed: string }): JSX.Element {
  const [before, match, after] = matchIn(name, typed)
  return (
    <span class="cut">
      {before}
      {match && <mark>{match}</mark>}
      {after}
    </span>
  )
}

/** The sections for a typed text; the last objects stay while newer ones are searched. */
function useSections(typed: string): {
  readonly sections: readonly Section[]
  readonly isSearching: boolean
} {
  const asked = useDelayed(typed)
  const url = searchUrl(asked)
  const found = useUrl<{ readonly items: readonly Found[] }>(url)
  const last = useRef<readonly Found[]>([])
  if (found.data) last.current = ranked(found.data.items, asked)
  if (url === null) last.current = []
  const text = typed.replace(/^>/, '').trim().toLowerCase()
  const objects = typed.trim() === '' ? recent() : last.current
  const isFound = (option: Option): boolean => option.text.toLowerCase().includes(text)
  const commands = { title: t('palette.commands'), options: commandOptions().filter(isFound) }
  const screens = { title: t('palette.screens'), options: screenOptions().filter(isFound) }
  const sections = [
    { title: t(typed.trim() === '' ? 'palette.recent' : 'palette.objects'), options: objects.map(optionOf) },
    ...(typed.startsWith('>') ? [commands, screens] : [screens, commands]),
  ]
  return {
    sections: sections.filter(({ options }) => options.length > 0),
    isSearching: asked !== typed || (url !== null && found.isLoading),
  }
}

function useDelayed(text: string): string {
  const [delayed, setDelayed] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return delayed
}

const recent = (): readonly Found[] => visited() as readonly Found[]

function optionOf(object: Found): Option {
  const { id, type, name, path } = object
  return {
    key: `${type}-${id}`,
    icon: ICONS[type],
    text: name,
    note: path === undefined ? `#${id}` : path.split('/').slice(1, -1).join(' / '),
    act: objectLink(type, id),
    object,
  }
}

const MORE: readonly (readonly [name: string, icon: IconName])[] = [
  ['account', 'user'],
  ['keys', 'key'],
  ['wall', 'screen'],
]

function screenOptions(): readonly Option[] {
  const entries = entriesOfUser().map(({ name, icon, screen }) => ({ name, icon, screen }))
  const more = MORE.map(([name, icon]) => ({ name, icon, screen: name }))
  return [...entries, ...more].map(({ name, icon, screen }) => ({
    key: `screen-${name}`,
    icon,
    text: t(`nav.${name}`),
    note: '',
    act: linkTo(screen),
    object: null,
  }))
}
