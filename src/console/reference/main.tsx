import { render } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'

import { groupsOf, matching } from './document.ts'
import type { Entry, Group, OpenApi } from './document.ts'
import { OperationView } from './operation-view.tsx'

/** The service is above the folder of the console, which is the base of this page. */
const DOCUMENT = new URL('../openapi.json', document.baseURI)

const root = document.getElementById('reference') as HTMLElement

try {
  const answer = await fetch(DOCUMENT)
  if (!answer.ok) throw new Error(`${DOCUMENT.pathname} answered ${answer.status}`)
  render(<Reference of={(await answer.json()) as OpenApi} />, root)
} catch (error) {
  render(
    <p role="alert">The document of the API cannot be read: {String(error)}. Load the page again.</p>,
    root,
  )
}

function Reference({ of: api }: { readonly of: OpenApi }) {
  const groups = useMemo(() => groupsOf(api), [api])
  const [search, setSearch] = useState('')
  const chosen = useChosen(groups)
  const shown = search.trim() === '' ? groups : matching(groups, search.trim())
  useEffect(() => {
    const summary = chosen?.operation.summary
    document.title = summary === undefined ? 'API of Tidemark' : `${summary} – API of Tidemark`
  }, [chosen])
  return (
    <>
      <header>
        <h1>API of {api.info.title}</h1>
        <span class="quiet">interface {api.info.version}</span>
        <a href={DOCUMENT.pathname}>openapi.json</a>
        <a href={new URL('.', document.baseURI).pathname}>Console</a>
      </header>
      <nav aria-label="Operations">
        <input
          type="search"
          aria-label="Search operations"
          placeholder="Search operations"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        {shown.length === 0 && <p class="quiet">No operation has all of these words.</p>}
        {shown.map((group) => (
          <GroupView key={group.name} group={group} isOpen={search.trim() !== ''} chosen={chosen} />
        ))}
      </nav>
      <main>
        {chosen ? (
          <OperationView key={chosen.operation.operationId} document={api} entry={chosen} />
        ) : (
          <Start api={api} />
        )}
      </main>
    </>
  )
}

/** The operation that the fragment of the address names. */
function useChosen(groups: readonly Group[]): Entry | null {
  const find = () => {
    const id = decodeURIComponent(location.hash.slice(1))
    return (
      groups.flatMap(({ entries }) => entries).find(({ operation }) => operation.operationId === id) ?? null
    )
  }
  const [chosen, setChosen] = useState(find)
  useEffect(() => {
    const follow = () => {
      setChosen(find())
      scrollTo(0, 0)
    }
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [groups])
  return chosen
}

type GroupProps = { readonly group: Group; readonly isOpen: boolean; readonly chosen: Entry | null }

function GroupView({ group, isOpen, chosen }: GroupProps) {
  const hasChosen = group.entries.some((entry) => entry === chosen)
  return (
    <details open={isOpen || hasChosen}>
      <summary>
        {group.name} <span class="faint">{group.entries.length}</span>
      </summary>
      <ul>
        {group.entries.map((entry) => (
          <li key={entry.operation.operationId}>
            {/* The base of the page is another folder, so a fragment alone would lead there. */}
            <a
              href={`${location.pathname}#${entry.operation.operationId}`}
              aria-current={entry === chosen ? 'page' : undefined}
            >
              <span class={`method ${entry.method}`}>{entry.method.toUpperCase()}</span>{' '}
              {entry.operation.summary ?? entry.path}
            </a>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Start({ api }: { readonly api: OpenApi }) {
  return (
    <article>
      <h2>Start</h2>
      <p>{api.info.description}</p>
      <p>
        Create a token by <code>POST /session/personal-tokens</code> or in the console, and send it as{' '}
        <code>Authorization: Bearer …</code>. Errors are <code>application/problem+json</code> (RFC 9457).
      </p>
      <dl>
        {api.tags.map(({ name, description }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="quiet">{description}</dd>
          </div>
        ))}
      </dl>
    </article>
  )
}
