// SPDX-License-Identifier: Apache-2.0
// Draws what the element #data has: the JSON of dist-train's commands, each below
// the command's name (doc/json.md). Texts of a job may be anybody's: they become
// text nodes, never markup. Nothing is loaded, stored or sent.
'use strict';

// What moves a cursor or turns the reading direction is shown as what it is.
const ODD = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const data = JSON.parse(document.getElementById('data').textContent, (name, value) =>
	typeof value === 'string' ? value.replace(ODD, '\ufffd') : value);
const main = document.getElementById('main');
const nav = document.getElementById('nav');
const detail = document.getElementById('detail');

// --- elements -----------------------------------------------------------------

function el(name, attributes, ...children) {
	const e = document.createElement(name);

	for (const [key, value] of Object.entries(attributes || {}))
		if (value !== undefined && value !== false)
			e.setAttribute(key, value === true ? '' : value);
	e.append(...children.filter(c => c !== undefined && c !== ''));
	return e;
}

// A text of the job, whose direction is its own
function own(text, name = 'span') {
	return el(name, {class: 'own'}, text);
}

function section(id, title, ...children) {
	const s = el('section', {id, 'aria-labelledby': `${id}-title`},
		el('h2', {id: `${id}-title`}, title), ...children);

	main.append(s);
	nav.append(el('a', {href: `#${id}`}, title));
	return s;
}

// rows of cells; a cell is a text, or [class, text]
function table(names, rows) {
	const cell = (tag, c, scope) => Array.isArray(c)
		? el(tag, {class: c[0], scope}, own(c[1])) : el(tag, {scope}, own(c));
	const body = rows.map(row => {
		const e = el('tr', {class: row.class}, ...row.cells.map(c => cell('td', c)));

		item(e, row.cells.map(c => Array.isArray(c) ? c[1] : c).join(' '), row);
		return e;
	});

	return el('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': names.map(n => n[1] || n).join(', ')},
		el('table', {}, el('thead', {}, el('tr', {}, ...names.map(n => cell('th', n, 'col')))),
			el('tbody', {}, ...body)));
}

function legend(entries) {
	return el('ul', {class: 'legend'}, ...entries.map(([color, text]) =>
		el('li', {}, el('i', {class: `k${color}`}), text)));
}

// --- words --------------------------------------------------------------------

function plural(n, one) {
	return `${n} ${one}${n === 1 ? '' : one.endsWith('s') ? 'es' : 's'}`;
}

// As the program writes a time: 0.52 s, 31.4 s, 2 min 43 s, 18 h 5 min
function duration(s) {
	if (s < 59.95)
		return `${s.toFixed(s < 9.995 ? 2 : 1)} s`;
	const hours = Math.round(s) >= 3600;
	const n = hours ? Math.round(s / 60) : Math.round(s);
	const [big, small] = hours ? ['h', 'min'] : ['min', 's'];

	return `${Math.floor(n / 60)} ${big}` + (n % 60 ? ` ${n % 60} ${small}` : '');
}

function moment(epoch) {
	const t = new Date(epoch * 1000);

	return isNaN(t) ? '' : t.toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
}

function percent(part) {
	return `${(100 * part).toFixed(1)} %`;
}

// [0, 1, 2, 7] as "0-2,7"
function ranges(numbers) {
	const parts = [];

	for (const n of numbers) {
		const last = parts[parts.length - 1];

		if (last && last[1] === n - 1)
			last[1] = n;
		else
			parts.push([n, n]);
	}
	return parts.map(([a, b]) => a === b ? a : `${a}-${b}`).join(',');
}

// "0-2,7" as a set of numbers
function numbersOf(text) {
	const set = new Set();

	for (const part of text.split(',')) {
		const [a, b = a] = part.split('-').map(Number);

		for (let n = a; n <= b && set.size < 1e6; n++)
			set.add(n);
	}
	return set;
}

// --- what can be searched and chosen --------------------------------------------

const items = [];
const places = new Map();	// 'rank 3' -> where it is on this page

// options: key, where (name of the section), dim (a miss stays in its place)
function item(e, text, options = {}) {
	const i = {e, text, ...options};

	items.push(i);
	if (options.key) {
		const there = places.get(options.key) || [];

		places.set(options.key, there.concat(i));
		e.addEventListener('click', () => choose(i));
	}
	return e;
}

function choose(i) {
	const others = (places.get(i.key) || []).filter(o => o !== i && o.where);

	document.querySelectorAll('.here').forEach(e => e.classList.remove('here'));
	i.e.classList.add('here');
	detail.replaceChildren(
		...(i.lines || [i.text]).map(line => own(line, 'p')),
		...others.slice(0, 4).map(o => button(`show in ${o.where}`, () => show(o))),
		el('span', {class: 'close'}, button('close', () => closeDetail(i.e))));
	detail.hidden = false;
}

function show(i) {
	choose(i);
	i.e.scrollIntoView({block: 'center'});
	i.e.focus({preventScroll: true});
}

function closeDetail(e) {
	detail.hidden = true;
	if (e)
		e.focus();
}

function button(text, pressed) {
	const b = el('button', {type: 'button'}, text);

	b.addEventListener('click', event => {
		event.stopPropagation();
		pressed(b);
	});
	return b;
}

// One stop of the Tab key for many elements; arrows go between them.
function arrows(box, selector) {
	const all = () => [...box.querySelectorAll(selector)].filter(e => e.offsetParent);
	const first = box.querySelector(selector);

	if (first)
		first.tabIndex = 0;
	box.addEventListener('keydown', event => {
		const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
		const at = event.target.closest(selector);

		if (at && (event.key === 'Enter' || event.key === ' ')) {
			event.preventDefault();
			at.click();
		}
		if (!at || (!step && event.key !== 'Home' && event.key !== 'End'))
			return;
		const list = all();
		const next = step ? list[list.indexOf(at) + step] : list[event.key === 'Home' ? 0 : list.length - 1];

		event.preventDefault();
		if (!next)
			return;
		at.tabIndex = -1;
		next.tabIndex = 0;
		next.focus();
	});
}

// --- rows over time -------------------------------------------------------------

const STEPS = [.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900,
	1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000, 1728000, 4320000, 8640000];

function tickText(s, step) {
	return s <= 0 ? '0' : s < 60 ? `${s.toFixed(step < .01 ? 3 : step < .1 ? 2 : step < 1 ? 1 : 0)} s` : duration(s);
}

// rows: {name, group, text, lines, end, bad, key, where, bars: [{from, to, color, text}], ended: {at, color}}
// marks: {at, kind, text}; views: {name, from, to}
function chart(rows, views, marks, label) {
	const ticks = el('div');
	const lines = el('div');
	const box = el('div', {class: 'chart'}, el('div', {class: 'axis', 'aria-hidden': 'true'}, ticks),
		el('div', {class: 'marks', 'aria-hidden': 'true'}, lines));
	const placed = [];	// what has a place in time: {e, from, to}
	let view = views[0], group;

	const place = (e, from, to) => {
		const at = t => 100 * (Math.min(Math.max(t, view.from), view.to) - view.from) / (view.to - view.from);

		e.hidden = to > from ? to <= view.from || from >= view.to : from < view.from || from > view.to;
		e.style.left = `${at(from)}%`;
		if (to > from)
			e.style.width = `${at(to) - at(from)}%`;
	};
	const draw = () => {
		const span = view.to - view.from;
		const most = Math.max(Math.floor((ticks.clientWidth || 700) / 76), 1);
		const step = STEPS.find(s => span / s <= most) || span / most;

		ticks.replaceChildren();
		lines.replaceChildren();
		for (let t = Math.ceil(view.from / step - 1e-9) * step; t <= view.to + step * 1e-6; t += step) {
			const text = el('span', {}, tickText(t, step)), line = el('i');

			place(text, t, t);
			place(line, t, t);
			if ((t - view.from) / span < .95)
				ticks.append(text);
			lines.append(line);
		}
		for (const m of marks) {
			const line = el('i', {class: m.kind});

			place(line, m.at, m.at);
			lines.append(line);
		}
		placed.forEach(p => place(p.e, p.from, p.to));
	};
	for (const row of rows) {
		const track = el('span', {class: 'track'});
		const e = el('div', {class: row.bad ? 'row bad' : 'row', role: 'button', tabindex: -1, 'aria-label': row.text},
			own(row.name), track, own(row.end || ''));

		for (const bar of row.bars) {
			const b = el('i', {class: `k${bar.color}`, title: bar.text});

			track.append(b);
			placed.push({e: b, from: bar.from, to: Math.max(bar.to, bar.from + 1e-6)});
		}
		for (const end of row.ends || []) {
			const b = el('i', {class: `end k${end.color}`});

			track.append(b);
			placed.push({e: b, from: end.at, to: end.at});
		}
		if (!group || row.group !== group.name) {
			group = {name: row.group, e: el('div', {class: 'group'})};
			if (row.group)
				group.e.append(own(row.group, 'h3'));
			box.append(group.e);
		}
		group.e.append(item(e, row.text, {key: row.key || row.text, where: row.where, lines: row.lines}));
	}
	const tools = el('div', {class: 'tools', role: 'group', 'aria-label': label});
	const look = (from, to, pressed) => {
		view = {from: Math.max(from, views[0].from), to: Math.min(to, views[0].to)};
		tools.querySelectorAll('button').forEach(b => b.setAttribute('aria-pressed', b === pressed));
		draw();
	};
	const zoom = by => {
		const bad = marks.find(m => m.kind === 'bad' && m.at > view.from && m.at < view.to);
		const middle = bad ? bad.at : (view.from + view.to) / 2;

		look(middle - (middle - view.from) * by, middle + (view.to - middle) * by);
	};

	for (const v of views)
		tools.append(button(v.name, b => look(v.from, v.to, b)));
	tools.append(button('closer', () => zoom(.5)), button('wider', () => zoom(2)));
	tools.firstChild.setAttribute('aria-pressed', 'true');
	arrows(box, '.row');
	addEventListener('resize', draw);
	requestAnimationFrame(draw);
	return [tools, box];
}

// --- a step: what it comes to -----------------------------------------------------

const timeline = data.timeline, why = data.why;
const step = {...why, ...timeline};
const lives = timeline && timeline.lives || [];
const hangs = (why && why.events || []).filter(e => e.event === 'hang');

function facts(pairs) {
	return el('dl', {}, ...pairs.filter(([, value]) => value).flatMap(([name, value]) =>
		[el('dt', {}, name), el('dd', {}, own(value))]));
}

function verdict() {
	const failure = timeline && timeline.facts.failure || why && why.first_failure && why.first_failure.text;

	if (hangs.length)
		return ['bad', hangs[hangs.length - 1].line];
	if (why && why.exit_code === 0)
		return ['good', `succeeded after ${duration(step.duration_s)}` + (failure ? ', after a failure' : '')];
	if (failure)
		return ['bad', failure];
	if (why && why.exit_code !== undefined)
		return ['bad', `exit code ${why.exit_code} after ${duration(step.duration_s)}`];
	return ['', why && !why.ended ? 'it still runs' : 'the record has no end'];
}

function stepHead() {
	const [kind, text] = verdict();
	const n = step.processes || step.world_size, nodes = timeline && timeline.nodes || step.nnodes;
	const title = step.step ? `Step ${step.step}` : 'A step that runs';

	document.title = title;
	main.append(own(title, 'h1'), own(text, 'p'), facts([
		['job', step.job_name], ['framework', step.framework], ['program', step.command || step.program],
		['keys', step.keys],
		['size', n && `${plural(n, 'process')} on ${plural(nodes, 'node')}` + (why && why.nodes ? `: ${why.nodes}` : '') +
			(step.spares ? `, ${plural(step.spares, 'spare')}` : '')],
		['began', step.begin && moment(step.begin)], ['lasted', step.begin && duration(step.duration_s)],
		['ended by', why && why.stopped_by], ['Slurm', why && why.slurm_state],
		['logs', why && why.log_dir], ['record', why && why.record]]));
	main.querySelector('p').classList.add('verdict', ...(kind ? [kind] : []));
	main.append(el('ul', {class: 'lines'}, ...Object.values(timeline ? timeline.facts : {})
		.filter(line => line && line !== text).map(line => own(line, 'li'))));
	if (why && why.first_failure && why.first_failure.report)
		main.append(el('h3', {}, 'What the first process that failed has said'),
			own(why.first_failure.report, 'pre'));
}

// --- a layout: nodes, and what runs there ------------------------------------------

// nodes: {name, where, spare, items: [{label, small, kind, text, key, wide}]}
function layout(nodes, entries, ...before) {
	const list = el('ul', {class: 'nodes'}, ...nodes.map(node => {
		const cells = node.items.map(i => item(
			el('button', {type: 'button', tabindex: -1, class: `cell ${i.kind}${i.wide ? ' wide' : ''}`, 'aria-label': i.text},
				el('b', {}, i.label), el('small', {}, i.small || '')),
			i.text, {key: i.key || i.text, where: 'the layout', lines: i.lines, dim: true}));

		return el('li', {class: node.spare ? 'node spare' : 'node'},
			el('p', {}, own(node.name), el('span', {class: 'dim own'}, node.spare ? 'spare' : node.where || '')),
			el('div', {class: 'cells'}, ...cells));
	}));

	arrows(list, '.cell');
	return section('layout', 'Layout', ...before, legend(entries), list);
}

function stateOf(l) {
	return l.ended_s === undefined ? 'open' : l.failed || l.lost ? 'bad' : l.by_step ? 'ours' : 'good';
}

const ENDS = {good: 'succeeded', bad: 'failed, or lost with its node', ours: 'ended by the step', open: 'no end in the record'};

function nameOf(l) {
	return l.name || `rank ${l.rank}`;
}

function lifeText(l) {
	return `${nameOf(l)} (${l.role}) on ${l.node}, ${l.round ? `restart ${l.round}` : 'start'}: ` +
		`${l.failed ? 'failed, ' : ''}${l.end}`;
}

// Of each rank its last life, where that was
function stepLayout() {
	const nodes = new Map(), suspects = suspectRanks();
	const last = new Map(lives.map(l => [l.rank, l]));
	const failed = new Set(lives.filter(l => l.failed).map(l => l.rank));

	for (const l of last.values()) {
		if (!nodes.has(l.node))
			nodes.set(l.node, {name: l.node, items: []});
		nodes.get(l.node).items.push({
			label: l.role === 'worker' ? l.rank : nameOf(l),
			small: suspects.has(l.rank) ? 'suspect' : l.failed ? 'failed' : l.lost ? 'lost' : failed.has(l.rank) ? 'failed once' : '',
			kind: suspects.has(l.rank) ? 'suspect' : stateOf(l),
			key: `rank ${l.rank}`, text: lifeText(l) + (suspects.has(l.rank) ? ', suspect of the hang' : ''),
			lines: lives.filter(x => x.rank === l.rank).map(lifeText),
		});
	}
	for (const e of timeline.node_events)
		if ((e.event === 'lost' || e.event === 'condemned' || e.event === 'spare') && !nodes.has(e.node))
			nodes.set(e.node, {name: e.node, where: e.event, spare: e.event === 'spare', items: []});
	const kinds = new Set([...last.values()].map(stateOf));

	layout([...nodes.values()], Object.keys(ENDS).filter(k => kinds.has(k)).map(k =>
		[k === 'open' ? 'a' : k, ENDS[k]]));
}

const ROLES = {worker: 'd', launcher: 'c', chief: 'e', ps: 'f', evaluator: 'b', service: 'h', slot: 'none', crosses: 'bad'};

function plannedLayout(l) {
	const kinds = new Set();
	const nodes = l.nodes.map(node => ({...node, items: node.items.map(i => {
		const kind = i.kind === 'service' || i.kind === 'slot' ? i.kind : i.role;

		kinds.add(kind);
		if (i.crosses)
			kinds.add('crosses');
		return {label: i.label + (i.meets ? ' ★' : ''), small: i.below, kind: kind + (i.crosses ? ' crosses' : ''),
			wide: i.wide, text: i.text + (i.meets ? '; the coordinator is here' : '')};
	})}));
	const words = {service: 'service of the step', slot: 'room for a worker', crosses: 'in a group that crosses'};

	document.title = l.title;
	main.append(el('h1', {}, l.title), own(l.command, 'code'), own(l.mode, 'p'));
	layout(nodes, [...kinds].map(k => [ROLES[k] || 'a', words[k] || k]),
		...l.groups.map(line => el('p', {class: 'verdict bad own'}, line)),
		own(l.meeting && `★ ${l.meeting}`, 'p'))
		.append(...['number: rank; dev: device as its node counts', ...l.examples]
			.map(line => el('p', {class: 'dim own'}, line)));
}

// What is told of a rank, figure by figure
function figures(o, before = '') {
	return Object.entries(o).flatMap(([name, v]) => typeof v === 'object' ? figures(v, `${before}${name} `)
		: `${before}${name.replaceAll('_', ' ')}: ${v}`);
}

const RUNNING = {good: ['good', 'succeeded'], bad: ['bad', 'failed'], suspect: ['bad', 'slower than the others'],
	worker: ['d', 'runs']};

// Of a step that runs, what its launchers have told
function runningLayout(s) {
	const kindOf = r => r.exit_code ? 'bad' : r.exit_code === 0 ? 'good' : r.slower >= 1.2 ? 'suspect' : 'worker';
	const kinds = new Set(s.ranks.map(kindOf)), on = new Map(s.nodes.map(n => [n.node, []]));
	const without = (names, why) => names.map(name => ({name, where: why, spare: false, items: []}));

	for (const r of s.ranks) {
		const does = r.exit_code === undefined ? `state ${r.state}` : `exit code ${r.exit_code}`;
		const step = r.progress && r.progress.step;

		on.get(r.node).push({label: r.rank, kind: kindOf(r), key: `rank ${r.rank}`,
			small: r.exit_code !== undefined ? `exit ${r.exit_code}` : r.slower >= 1.2 ? `${r.slower.toFixed(1)} x slower`
				: step === undefined ? r.state : `step ${step}`,
			text: `rank ${r.rank} on ${r.node}, ${does}`, lines: figures(r)});
	}
	document.title = `Step ${s.step}`;
	main.append(own(`Step ${s.step}`, 'h1'), own(`it runs: ${moment(s.time)}`, 'p'), facts([
		['size', `${plural(s.world_size, 'process')} on ${plural(s.nnodes, 'node')}`],
		['round', s.round], ['requeued', s.requeues && `${s.requeues} x`]]));
	layout([...s.nodes.map(n => ({name: n.node, spare: n.spare, items: on.get(n.node)})),
		...without(s.away, 'not here'), ...without(s.silent, 'no answer')],
	Object.keys(RUNNING).filter(k => kinds.has(k)).map(k => RUNNING[k]));
}

// --- a step over time ----------------------------------------------------------------

const PHASES = ['waiting', 'table', 'staging', 'starting', 'running', 'serving'];
const COLORS = {waiting: 'a', table: 'b', staging: 'g', starting: 'c', running: 'd', serving: 'e'};

function barsOf(l) {
	const there = PHASES.filter(p => l[`${p}_s`] !== undefined);

	return there.map((p, at) => {
		const next = there[at + 1];
		const from = l[`${p}_s`], to = next ? l[`${next}_s`] : l.ended_s === undefined ? step.duration_s : l.ended_s;

		return {from, to, color: COLORS[p], text: `${phaseText(p)}: ${duration(Math.max(to - from, 0))}`};
	});
}

function phaseText(name) {
	const phase = timeline.phases.find(p => p.name === name);

	return phase ? phase.text : name;
}

// Until most processes have written something; undefined: it is no small part
function startUp() {
	const first = lives.filter(l => !l.round).map(l => l.running_s === undefined ? l.starting_s : l.running_s)
		.filter(t => t !== undefined).sort((a, b) => a - b);
	const until = 1.15 * (first[Math.floor(first.length * .98)] || 0);

	return until > 0 && until < step.duration_s / 4 ? until : undefined;
}

function stepTimeline() {
	const rows = new Map(), end = Math.max(step.duration_s, .001);
	const views = [{name: 'whole step', from: 0, to: end}];
	const marks = timeline.rounds.slice(1).map(r => ({at: r.begin_s, kind: 'round'}));
	const used = new Set(), ends = new Set();

	for (const l of lives) {
		const key = `${l.node}\n${l.rank}`, state = stateOf(l);
		const row = rows.get(key) || {
			name: nameOf(l), group: l.node, key: `rank ${l.rank}`, where: 'the timeline', bars: [], ends: [], lines: [], texts: [],
		};

		row.bars.push(...barsOf(l));
		row.ends.push({at: l.ended_s === undefined ? end : l.ended_s, color: state});
		row.texts.push(lifeText(l));
		row.lines.push(lifeText(l), barsOf(l).map(b => b.text).join(', '));
		row.end = row.bad ? `${row.end}, then ${l.end}` : l.end;
		row.bad = row.bad || l.failed || l.lost;
		rows.set(key, row);
		PHASES.filter(p => l[`${p}_s`] !== undefined).forEach(p => used.add(p));
		ends.add(state);
	}
	rows.forEach(row => { row.text = row.texts.join('; '); });
	const sorted = [...rows.values()];
	const order = new Map();

	sorted.forEach(r => { if (!order.has(r.group)) order.set(r.group, order.size); });
	sorted.sort((a, b) => order.get(a.group) - order.get(b.group));
	if (startUp())
		views.push({name: 'start-up', from: 0, to: startUp()});
	for (const r of timeline.rounds.slice(1, 7))
		views.push({name: r.name, from: r.begin_s, to: Math.max(r.end_s, r.begin_s + .001)});
	if (timeline.first_failure) {
		const at = timeline.first_failure.at_s, around = Math.max(end / 50, .05);

		marks.push({at, kind: 'bad'});
		views.push({name: 'first failure', from: at - around, to: at + around});
	}
	timeline.node_events.filter(e => e.event === 'lost' || e.event === 'condemned')
		.forEach(e => marks.push({at: e.at_s, kind: 'bad'}));
	section('timeline', 'Timeline', legend([
		...PHASES.filter(p => used.has(p)).map(p => [COLORS[p], phaseText(p)]),
		...Object.keys(ENDS).filter(k => ends.has(k)).map(k => [k, ENDS[k]]),
		...(marks.some(m => m.kind === 'bad') ? [['bad', 'line: a first failure or a lost node']] : [])]),
	...chart(sorted, views, marks, 'Part of the time'));
}

function stepPhases() {
	const s = section('phases', 'Phases and rounds', table(['phase', ['n', 'median'], ['n', 'longest'], 'of'],
		timeline.phases.map(p => ({cells: [p.text, ['n', duration(p.median_s)], ['n', duration(p.longest_s)],
			`rank ${p.rank} (${p.role}) on ${p.node}`]}))));

	if (timeline.rounds.length > 1)
		s.append(table(['round', ['n', 'began at'], ['n', 'lasted'], ['n', 'failed']], timeline.rounds.map(r => ({
			class: r.failed ? 'bad' : undefined,
			cells: [r.name, ['n', duration(r.begin_s)], ['n', duration(r.end_s - r.begin_s)], ['n', `${r.failed} of ${r.processes}`]]}))));
}

// --- a hang, and where ranks are ---------------------------------------------------------

// A line of the report names its ranks: "suspect: 1 rank (2, node2): ..."
const GROUP = /^(suspect: )?(\d+) ranks? \(([\d,-]+)(, [^)]*)?\): ?(.*)$/;

function reportGroups(text) {
	const groups = [], rest = [];

	for (const line of text.split('\n').map(l => l.replace(/^dist-train: /, '')).slice(1)) {
		const found = GROUP.exec(line.trim());

		if (found)
			groups.push({suspect: Boolean(found[1]), ranks: found[3], text: line.trim().replace(/^suspect: /, ''), more: []});
		else if (/^ {3,}/.test(line) && groups.length)
			groups[groups.length - 1].more.push(line.trim());
		else if (line.trim())
			rest.push(line.trim());
	}
	return {groups, rest};
}

function suspectRanks() {
	const set = new Set(), now = why && why.now && why.now.groups || [];

	now.filter(g => g.suspect).forEach(g => g.ranks.forEach(r => set.add(r)));
	if (hangs.length && !now.length)
		reportGroups(hangs[hangs.length - 1].text).groups.filter(g => g.suspect)
			.forEach(g => numbersOf(g.ranks).forEach(r => set.add(r)));
	return set;
}

function groupList(groups) {
	const list = el('ul', {class: 'groups'}, ...groups.map(g => item(
		el('li', {class: g.suspect ? 'suspect' : undefined, tabindex: -1},
			g.suspect ? el('b', {}, 'suspect: ') : '', own(g.text),
			...g.more.map(line => el('small', {class: 'own'}, line))),
		`${g.suspect ? 'suspect ' : ''}${g.text} ${[...numbersOf(g.ranks)].slice(0, 64).map(r => `rank ${r}`).join(' ')}`,
		{key: `group ${g.ranks}`, lines: [g.text, `ranks ${g.ranks}`, ...g.more]})));

	arrows(list, 'li');
	return list;
}

function stepHangs() {
	const s = section('hang', 'Hang');

	for (const h of hangs) {
		const {groups, rest} = reportGroups(h.text);

		s.append(el('p', {}, el('b', {}, `after ${duration(h.at_s)}: `), own(h.line)), groupList(groups),
			...rest.map(line => own(line, 'p')));
	}
	for (const e of why.events.filter(x => x.event === 'stacks'))
		s.append(own(e.line, 'p'));
}

function stepNow() {
	const now = why.now;
	const s = section('now', 'Where its ranks are');

	if (now.text)
		s.append(own(now.text, 'p'));
	if (now.groups)
		s.append(el('p', {}, `${plural(now.ranks, 'rank')} on ${plural(now.nodes, 'node')}, the oldest for ${duration(now.oldest_s)}`),
			groupList(now.groups.map(g => ({suspect: g.suspect, ranks: ranges(g.ranks), text: g.text, more: g.why ? [g.why] : []}))));
}

function stepEvents() {
	section('events', 'What happened', table([['when', 'after'], 'what'], why.events.filter(e => e.line).map(e => ({
		class: ['failure', 'lost', 'condemned', 'hang'].includes(e.event) ? 'bad' : undefined,
		cells: [['when', duration(e.at_s)], e.line]}))));
}

// --- where the time went ---------------------------------------------------------------------

const PARTS = {
	queue: ['a', 'in the queue'], outside: ['h', 'outside of steps'], startup: ['c', 'start-up'], staging: ['d', 'files to the disks'], training: ['e', 'training'],
	lost: ['f', 'lost since the last checkpoint'], detection: ['b', 'detection of failures'], restart: ['g', 'restart'],
	unknown: ['none', 'not known'],
};

// Causes that are nobody's fault
const PLANNED = ['signalled', 'cancelled', 'time-limit'];

function ratioText(r) {
	if (!r)
		return '';
	return r.most - r.least >= .0005 ? `${percent(r.least)} to ${percent(r.most)}` : percent(r.least);
}

function partRows(sum) {
	return Object.entries(PARTS).filter(([p]) => sum.parts[`${p}_s`]).map(([p, [color, text]]) => ({p, color, text, s: sum.parts[`${p}_s`]}));
}

function putSum(s, sum) {
	const rows = partRows(sum);
	const whole = el('div', {class: 'whole', role: 'img',
		'aria-label': rows.map(r => `${r.text} ${percent(r.s / sum.wall_s)}`).join(', ')});

	for (const r of rows) {
		const bar = el('i', {class: `k${r.color}`, title: `${r.text}: ${duration(r.s)}`});

		bar.style.flex = `${r.s} 0 0`;
		whole.append(bar);
	}
	if (sum.ettr)
		s.append(el('p', {}, el('span', {class: 'big'}, ratioText(sum.ettr)),
			' of the time since the first start was training that was kept'));
	if (sum.ettr_on_nodes && ratioText(sum.ettr_on_nodes) !== ratioText(sum.ettr))
		s.append(el('p', {class: 'dim'}, `${ratioText(sum.ettr_on_nodes)} of the time outside of the queue`));
	s.append(whole, el('div', {class: 'scroll'}, el('table', {}, el('tbody', {}, ...rows.map(r => el('tr', {},
		el('td', {}, el('i', {class: `key k${r.color}`}), r.text), el('td', {class: 'n'}, duration(r.s)),
		el('td', {class: 'n'}, percent(r.s / sum.wall_s)),
		el('td', {class: 'n'}, r.p === 'lost' && sum.lost_steps ? plural(sum.lost_steps, 'step') : '')))))),
	el('p', {class: 'dim'}, `wall time ${duration(sum.wall_s)}`));
}

function costText(parts) {
	return Object.entries(PARTS).filter(([p]) => parts[`${p}_s`])
		.map(([p, [, text]]) => `${text} ${duration(parts[`${p}_s`])}`).join(', ');
}

function eventText(e) {
	return [e.text && e.text.startsWith(`${e.cause}: `) ? '' : e.cause, e.node, e.text].filter(Boolean).join(': ');
}

function jobLives(job) {
	const first = job.spans.length ? job.spans[0].at : 0;
	const last = job.spans[job.spans.length - 1];
	const rows = job.lives.map((life, at) => {
		const spans = job.spans.filter(s => s.life === at);

		return {name: `run ${life.requeue}`, text: `run ${life.requeue}, ${plural(life.steps, 'step')}: ${costText(life.parts)}`,
			end: life.begin ? moment(life.begin).slice(5, 16) : '',
			bars: spans.map(s => ({from: s.at - first, to: s.at - first + s.s, color: PARTS[s.part][0],
				text: `${PARTS[s.part][1]}: ${duration(s.s)}${s.event === undefined ? '' : `; ${eventText(job.events[s.event])}`}`}))};
	});
	const end = last ? Math.max(last.at + last.s - first, .001) : .001;

	return chart(rows, [{name: 'whole time', from: 0, to: end}], job.events.map(e =>
		({at: e.at - first, kind: PLANNED.includes(e.cause) ? 'round' : 'bad'})), 'Part of the time');
}

function jobEvents(job) {
	const first = job.spans.length ? job.spans[0].at : 0;

	return table([['when', 'after'], 'run', 'interruption', 'cost'], job.events.map(e => ({
		cells: [['when', duration(Math.max(e.at - first, 0))], `run ${e.life}, step ${e.step}, round ${e.round}`, eventText(e),
			costText(e.parts) + (e.lost_steps ? `, ${plural(e.lost_steps, 'step')} lost` : '') + (e.lost_known ? '' : ', lost not known')]})));
}

function jobRoles(job) {
	const parts = Object.keys(job.roles[0].parts);

	return table(['role', ['n', 'worlds'], ['n', 'restarts'], ...parts.map(p => ['n', p.replace('_s', '')])], job.roles.map(r => ({
		cells: [r.role, ['n', String(r.worlds)], ['n', String(r.restarts)],
			...parts.map(p => ['n', r.parts[p] ? duration(r.parts[p]) : '-'])]})));
}

function costTable(rows, name) {
	return rows.length ? table([name, ['n', 'n'], 'cost'], rows.map(r => ({
		cells: [r[name], ['n', String(r.n)], costText(r.parts)]}))) : '';
}

function putGoodput(g, whole) {
	const title = job => `Job ${job.job}${job.job_name ? ` (${job.job_name})` : ''}`;

	if (whole) {
		document.title = g.jobs.map(title).join(', ');
		main.append(own(g.jobs.length === 1 ? title(g.jobs[0]) : `${g.jobs.length} jobs`, 'h1'));
	}
	g.jobs.forEach((job, at) => {
		const s = section(`job${at}`, whole && g.jobs.length > 1 ? title(job) : 'Where the time went');

		if (whole)
			s.append(el('p', {class: 'dim'}, [`${plural(job.lives.length, 'run')}, ${plural(job.interruptions, 'interruption')}`,
				job.begin && `from ${moment(job.begin)}`, job.ended ? '' : 'it runs, or waits'].filter(Boolean).join(', ')));
		putSum(s, job);
		s.append(...jobLives(job));
		if (whole)
			s.append(...job.notes.map(note => el('p', {class: 'dim own'}, note)));
		if (job.events.length)
			s.append(el('h3', {}, 'Interruptions'), jobEvents(job));
		if (job.roles.length)
			s.append(el('h3', {}, 'Roles'), jobRoles(job));
	});
	if (whole && g.jobs.length > 1)
		putSum(section('total', 'All jobs'), g.total);
	if (whole && g.total.causes.length)
		section('causes', 'What it cost', costTable(g.total.causes, 'cause'), costTable(g.total.nodes, 'node'));
}

// --- the search --------------------------------------------------------------------------------

const q = document.getElementById('q'), found = document.getElementById('found');
let hits = [], at = -1;

// A word is found where one begins; one that ends in a digit ends there, too.
function pattern(word) {
	const text = word.replace(/[^A-Za-z0-9_]/g, '\\$&');

	return new RegExp((/^\w/.test(word) ? '\\b' : '') + text + (/\d$/.test(word) ? '\\b' : ''), 'i');
}

function search() {
	const words = (q.value.match(/(rank|ps|worker|dev|run) \d+|\S+/gi) || []).map(pattern);

	hits = [];
	at = -1;
	for (const i of items) {
		const hit = words.length > 0 && words.every(w => w.test(i.text));

		i.e.classList.toggle('hit', hit && Boolean(i.dim));
		i.e.classList.toggle(i.dim ? 'miss' : 'gone', words.length > 0 && !hit);
		if (hit)
			hits.push(i);
	}
	for (const box of document.querySelectorAll('.node, .group'))
		box.classList.toggle('gone', words.length > 0 && !box.querySelector('.cell:not(.miss), .row:not(.gone)'));
	found.textContent = words.length ? `${hits.length} found` : '';
}

function next(by) {
	if (!hits.length)
		return;
	at = (at + by + hits.length) % hits.length;
	hits[at].e.scrollIntoView({block: 'center'});
	if (hits[at].key)
		choose(hits[at]);
	found.textContent = `${at + 1} of ${hits.length}`;
}

document.getElementById('search').addEventListener('submit', event => event.preventDefault());
q.addEventListener('input', search);
q.addEventListener('keydown', event => {
	if (event.key === 'Enter')
		next(event.shiftKey ? -1 : 1);
});
addEventListener('keydown', event => {
	if (event.key === '/' && !event.ctrlKey && !event.metaKey && event.target !== q) {
		event.preventDefault();
		q.focus();
	}
	if (event.key !== 'Escape')
		return;
	event.preventDefault();
	if (!detail.hidden)
		closeDetail(document.querySelector('.here'));
	else if (q.value) {
		q.value = '';
		search();
	}
});

// --- the page --------------------------------------------------------------------------------------

if (timeline || why)
	stepHead();
if (data.layout)
	plannedLayout(data.layout);
if (data.status)
	runningLayout(data.status);
if (why && why.now)
	stepNow();
if (hangs.length)
	stepHangs();
if (lives.length) {
	stepLayout();
	stepTimeline();
}
if (why && why.events && why.events.some(e => e.line))
	stepEvents();
if (lives.length)
	stepPhases();
if (data.goodput && (!why || data.goodput.total.parts.training_s))
	putGoodput(data.goodput, !why);
main.classList.toggle('many', items.length > 5000);
