import { fetchAt } from '../../workers/deno/network.ts'

// Sends `x` to a URL at an address, on Deno; prints the answer or the error.
const [url = '', address = ''] = process.argv.slice(2)
const answer = await fetchAt(new Request(url, { method: 'POST', body: 'x' }), address).catch(String)
process.stdout.write(typeof answer === 'string' ? answer : `${answer.status} ${await answer.text()}`)
