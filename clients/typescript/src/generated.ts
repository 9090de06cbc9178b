// Made by tools/typescript.py from the OpenAPI document; edit the capabilities instead, then run make reference.

import type { CallOptions } from "./options.js";

/** One ledger entry: who did what to which memory, when, through what, and why. */
export interface ActivityView {
  seq: number;
  activity: string;
  action: string;
  outcome: string;
  target: string | null;
  actor: string;
  channel: string;
  at: string;
  reason: string | null;
  cause: Cause | null;
  detail: Record<string, unknown>;
}

export interface AddAgentRequest {
  /** The name of the agent, such as claude-code. */
  name: string;
  /** admin reaches all; project what is its own, and reads global; skill only what it is handed. Default: "project". */
  role?: Role;
  /** The projects it works in; left out, the caller's. */
  projects?: readonly string[] | null;
  /** The repos it works in; left out, the caller's. */
  repos?: readonly string[] | null;
  /** The teams it belongs to. */
  teams?: readonly string[] | null;
  /** How often it may write; left out, as the settings say. */
  writes_per_minute?: number | null;
  /** How often it may ask; left out, as the settings say. */
  requests_per_second?: number | null;
}

/** An agent after a change. */
export interface AgentAnswer {
  agent: AgentView;
  token: string | null;
  seq: number;
  /** Default: true. */
  changed: boolean;
}

/** One that may come by token. */
export interface AgentView {
  name: string;
  principal: string;
  role: Standing;
  projects: string[];
  repos: string[];
  teams: string[];
  has_token: boolean;
  writes_per_minute: number | null;
  requests_per_second: number | null;
  created_at: string;
  changed_at: string;
}

/** Who may come. */
export interface AgentsAnswer {
  items: AgentView[];
  next_cursor: string | null;
}

export type AgentsRequest = Record<string, never>;

export interface ApproveRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** Why it may count. Default: "approved". */
  reason?: string;
  /** For a decision that came without one: why it was decided. */
  rationale?: string | null;
  /** Better words for it; left out, it stays as it is. */
  content?: string | null;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface BackupAnswer {
  path: string;
  entries: number;
  bytes: number;
  head: string;
}

export interface BackupRequest {
  /** The file to write. */
  path: string;
  /** Whether a file that is there already may be replaced. Default: false. */
  overwrite?: boolean;
}

/** What each of many writes came to. */
export interface BatchAnswer {
  counts: Record<string, number>;
  answers: WriteAnswer[];
}

export interface CancelRequest {
  /** The id of a job. */
  job: string;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** What was kept, and what was there already. */
export interface CaptureAnswer {
  outcome: CaptureOutcome;
  thread: string;
  sources: string[];
  captured: number;
  known: number;
  job: string | null;
  notes: string[];
  seq: number;
}

export interface CaptureConversationRequest {
  /** Notes or a summary of the conversation. */
  content?: string | null;
  /** The turns of a conversation in order: objects with content, and role, name and at if known. */
  messages?: readonly MessageInput[] | null;
  /** What is handed in: the turns themselves, notes about them, or a summary. Default: "transcript". */
  capture_mode?: "notes" | "summary" | "transcript";
  /** Which conversation it was. */
  thread?: string | null;
  /** Where it comes from: a file with a line (src/app.py:12), a URL, a conversation, a run. */
  source?: string | null;
  /** Where it belongs: global, team:ID, project:ID, repo:ID, agent:ID or session:ID. */
  scope?: string | null;
  /** When it took place, if not now. */
  occurred_at?: string | null;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export type CaptureOutcome = "captured" | "unchanged";

export interface CaptureRequest {
  /** A text to keep as evidence, word for word. */
  content?: string | null;
  /** The turns of a conversation in order: objects with content, and role, name and at if known. */
  messages?: readonly MessageInput[] | null;
  /** The conversation or document it is part of; left out, the source or a new one. */
  thread?: string | null;
  /** What it is called. */
  title?: string | null;
  /** Where it comes from: a file with a line (src/app.py:12), a URL, a conversation, a run. */
  source?: string | null;
  /** Where it belongs: global, team:ID, project:ID, repo:ID, agent:ID or session:ID. */
  scope?: string | null;
  /** What sort of source it is: a conversation for messages, else a document. */
  kind?: SourceKind | null;
  /** Who said or wrote the text. */
  speaker?: string | null;
  /** When it was said or written, if not now. */
  occurred_at?: string | null;
  /** Who may ever see it. */
  visibility?: Visibility | null;
  /** Whether memories are to be found in it later; left out, as the settings say. */
  extract?: boolean | null;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface CaptureSessionRequest {
  /** What was said and done. */
  messages: readonly MessageInput[];
  /** The session it was; left out, the caller's own. */
  session?: string | null;
  /** Where it comes from: a file with a line (src/app.py:12), a URL, a conversation, a run. */
  source?: string | null;
  /** Where it belongs: global, team:ID, project:ID, repo:ID, agent:ID or session:ID. */
  scope?: string | null;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export type Cause = "chatter" | "contradiction" | "deleted" | "document_changed" | "document_gone" | "doubtful" | "extracted" | "imported" | "insight" | "needs_rationale" | "needs_rationale_and_source" | "needs_source" | "not_allowed" | "opinion" | "peer" | "pending_elsewhere" | "personal" | "protected" | "quarantine" | "rejected_before" | "replaced" | "retired" | "stale" | "unused";

/** One message of a chat. */
export interface ChatMessage {
  role: string;
  content: string;
}

/** What an entry of a bundle rests on. */
export interface Citation {
  id: string;
  source: string | null;
  kind: string;
  reference: string | null;
  author: string;
}

/** What a compaction did, or would do. */
export interface CompactAnswer {
  dry_run: boolean;
  counts: Record<string, number>;
  job: JobView | null;
}

export interface CompactRequest {
  /** Archive what is less certain and no person stands behind. Default: 0.3. */
  min_confidence?: number;
  /** Archive what is past its time, up to this policy. Default: "weekly". */
  max_staleness?: Staleness;
  /** Only this scope; left out, all of them, each by itself. */
  scope?: string | null;
  /** Only say what would be done. Default: false. */
  dry_run?: boolean;
}

/** A conflict with both its sides. */
export interface ConflictItem {
  conflict: ConflictView;
  old: MemoryView;
  new: MemoryView;
}

export type ConflictKind = "contradiction" | "duplicate" | "update";

export type ConflictStatus = "pending" | "settled";

/** A conflict, pending or settled. */
export interface ConflictView {
  id: string;
  kind: ConflictKind;
  scope: string;
  finding: string;
  old: string;
  new: string;
  weaker: string;
  status: ConflictStatus;
  disposition: Disposition | null;
  resolved_by: string | null;
  reason: string | null;
  merged: string | null;
  recorded_from: string;
  recorded_to: string | null;
}

/** Conflicts. */
export interface ConflictsAnswer {
  items: ConflictItem[];
  next_cursor: string | null;
}

export interface ConflictsRequest {
  /** Whether settled ones are listed too. Default: false. */
  settled?: boolean;
  /** At most this many. Default: 50. */
  limit?: number;
  /** Where the page before ended (its next_cursor). */
  cursor?: string | null;
}

/** What a consolidation did, or would do, one by one. */
export interface ConsolidateAnswer {
  dry_run: boolean;
  counts: Record<string, number>;
  changes: Consolidated[];
  job: JobView | null;
}

export interface ConsolidateRequest {
  /** Only this scope; left out, all of them, each by itself. */
  scope?: string | null;
  /** Only say what would be done. Default: false. */
  dry_run?: boolean;
}

/** One thing that consolidation did, or would do. */
export interface Consolidated {
  outcome: string;
  memory: string;
  content: string;
  merged: string | null;
  linked: string[];
  reason: string;
  entry: number | null;
}

/** What an agent should know before it starts: what always counts, what fits the task, and what it rests on. */
export interface ContextBundle {
  recall_id: string;
  task: string | null;
  scopes: string[];
  profile: RecallResult[];
  decisions: RecallResult[];
  conventions: RecallResult[];
  facts: RecallResult[];
  episodes: RecallResult[];
  evidence: RecallResult[];
  citations: Citation[];
  block: string;
  injected: string[];
  tokens: number;
  notes: string[];
  note_codes: NoteCode[];
}

export interface ContextForRequest {
  /** What is to be done; left out, a session only begins. */
  task?: string | null;
  /** The project it is in; left out, the caller's own. */
  project?: string | null;
  /** The repository it is in; left out, the caller's own. */
  repo?: string | null;
  /** Who will do it: for a person, any agent; an agent can only name itself. */
  agent?: string | null;
  /** At most this many memories. Default: 10. */
  limit?: number;
  /** At most this many tokens, the block's own words included; left out, 4,000. What does not fit is shortened, then left out. */
  max_tokens?: number | null;
  /** How much of each is told: a line (L0), a summary (L1) or everything (L2). Default: "L2". */
  detail?: "L0" | "L1" | "L2";
}

export interface CorrectRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** What is right instead. */
  content: string;
  /** Why, in words; it stays readable in the history. */
  reason: string;
  /** How well the evidence supports it, 0 to 1; left out, it follows from strength. */
  confidence?: number | null;
  /** Where it comes from: a file with a line (src/app.py:12), a URL, a conversation, a run. */
  source?: string | null;
  /** For a decision: why it is now decided so. */
  rationale?: string | null;
  /** For programs: whether their own value is only replaced or deleted, and not wrong. */
  cause?: RetractionCause | null;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export type Detail = "L0" | "L1" | "L2";

/** What changed, by kind of change. */
export interface DiffAnswer {
  since: string;
  until: string;
  added: MemoryView[];
  corrected: ActivityView[];
  retracted: ActivityView[];
  linked: ActivityView[];
  other: ActivityView[];
}

export interface DiffRequest {
  /** From when: 2026-05-17, '3 days ago', or a ledger entry such as #120. */
  since: string;
  /** Up to when; left out, now. */
  until?: string | null;
  /** A subject to file it under. */
  topic?: string | null;
  /** Whether corrections and retractions are listed too. Default: true. */
  include_corrections?: boolean;
  /** Only these scopes; left out, the caller's own surroundings. */
  scopes?: readonly string[] | null;
  /** Only what held in the world at that moment. */
  valid_at?: string | null;
  /** At most this many. Default: 1000. */
  limit?: number;
}

/** How a conflict was settled. */
export type Disposition = "keep_both" | "keep_new" | "keep_old" | "merge" | "remove_both";

export interface DropViewRequest {
  /** The name the question is kept under. */
  name: string;
  /** For a person: whose view is meant, where several have one of that name. */
  author?: string | null;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface EarlierSummary {
  text: string;
  made_at: string;
  replaced_at: string | null;
}

/** Something that happened. */
export interface Event {
  id: string;
  event: EventName;
  at: string;
  by: string;
  payload: Record<string, unknown>;
}

/** What can happen. */
export type EventName = "memory:compact" | "memory:flush" | "memory:read" | "memory:search" | "memory:write";

/** What happened after a place, in order. */
export interface EventsAnswer {
  items: Event[];
  next_cursor: string;
}

export interface EventsRequest {
  /** The id of the last event seen; left out, the newest events are told. */
  after?: string | null;
  /** Only these events. */
  names?: readonly EventName[] | null;
  /** At most this many. Default: 20. */
  limit?: number;
}

/** A memory or a piece of evidence at a level of detail. */
export interface ExpandAnswer {
  id: string;
  what: Expanded;
  kind: string;
  title: string | null;
  scope: string;
  detail: Detail;
  text: string;
  tokens: number;
  evidence: SourceView[];
  around: PassageView[];
  notes: string[];
}

export interface ExpandRequest {
  /** The id of a memory or of a source. */
  ref: string;
  /** How much of each is told: a line (L0), a summary (L1) or everything (L2). Default: "L2". */
  detail?: "L0" | "L1" | "L2";
  /** For a turn or a passage: show so many before and after it. Default: 2. */
  around?: number;
  /** Of a source, only the passage of this number. */
  passage?: number | null;
}

export type Expanded = "memory" | "source";

export interface ExplainRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** How many steps to follow what it replaced or came from. Default: 3. */
  depth?: number;
  /** As believed then: a moment such as 2026-05-17 or '3 days ago', or a ledger entry such as #120. */
  as_of?: string | null;
  /** Only what held in the world at that moment. */
  valid_at?: string | null;
}

/** Who said it, when, on what evidence, through which acts; what it replaced and what replaced it. */
export interface Explanation {
  memory: MemoryView;
  story: string;
  provenance: Provenance;
  evidence: SourceView[];
  activities: ActivityView[];
  replaces: Explanation[];
  replaced_by: Explanation[];
  derived_from: Explanation[];
  links: LinkView[];
  conflicts: ConflictView[];
  rejected: RejectedValue[];
}

export interface ExportAnswer {
  path: string;
  entries: number;
  bytes: number;
  head: string;
}

export interface ExportRequest {
  /** The file to write. */
  path: string;
  /** As believed then: a moment such as 2026-05-17 or '3 days ago', or a ledger entry such as #120. */
  as_of?: string | null;
  /** Whether a file that is there already may be replaced. Default: false. */
  overwrite?: boolean;
}

/** What feedback came to: noted, undone, or unchanged because there was nothing to say anything about. */
export interface FeedbackAnswer {
  outcome: FeedbackOutcome;
  recall_id: string;
  used: string[];
  ignored: string[];
  moved: Record<string, number>;
  seq: number;
}

export type FeedbackOutcome = "noted" | "unchanged" | "undone";

export interface FeedbackRequest {
  /** The recall_id of the answer that a recall gave. */
  recall_id: string;
  /** What was answered; each memory that was given is looked for in it. */
  answer?: string | null;
  /** Ids of what was used, whatever the answer says. */
  used?: readonly string[] | null;
  /** Ids of what was of no use. */
  ignored?: readonly string[] | null;
  /** Take the last feedback of this recall back. Default: false. */
  undo?: boolean;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** What was said about the use of a recall. */
export interface FeedbackView {
  by: string;
  at: string;
  used: string[];
  ignored: string[];
  moved: Record<string, number>;
  seq: number;
}

export interface ForgetRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** Why, in words; it stays readable in the history. */
  reason: string;
  /** For programs: whether their own value is only replaced or deleted, and not wrong. */
  cause?: RetractionCause | null;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface GetAnswer {
  memory: MemoryView;
  evidence: SourceView[];
  links: LinkView[];
  conflicts: ConflictView[];
  since: Replacement | null;
}

export interface GetRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** As believed then: a moment such as 2026-05-17 or '3 days ago', or a ledger entry such as #120. */
  as_of?: string | null;
  /** Only what held in the world at that moment. */
  valid_at?: string | null;
}

export type Grain = "claim" | "text";

/** What was handed to the caller and has not expired, newest first. */
export interface HandedAnswer {
  items: HandedMessage[];
  next_cursor: string | null;
}

/** What the receiver is to know. */
export interface HandedContext {
  memory_snippet: string;
  project_context: string | null;
  memories: HandedMemory[];
  gone: number;
}

/** A memory that came along, as it is now. */
export interface HandedMemory {
  id: string;
  kind: Kind;
  content: string;
  confidence: number;
}

/** A message between agents. */
export interface HandedMessage {
  id: string;
  from: string;
  to: string;
  type: MessageType;
  payload: HandedPayload;
  created_at: string;
  expires_at: string;
}

/** What is wanted, and what is to be known for it. */
export interface HandedPayload {
  action: string;
  context: HandedContext;
}

export interface HandedRequest {
  /** At most this many. Default: 50. */
  limit?: number;
  /** Where the page before ended (its next_cursor). */
  cursor?: string | null;
}

/** Every version of a memory, oldest first, and the ledger entries about it. */
export interface HistoryAnswer {
  memory: string;
  versions: MemoryView[];
  entries: ActivityView[];
}

export interface HistoryRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** As believed then: a moment such as 2026-05-17 or '3 days ago', or a ledger entry such as #120. */
  as_of?: string | null;
}

/** What an import did: `replayed` word for word, or `proposed` each memory at the gate. */
export interface ImportAnswer {
  how: ImportWay;
  entries: number;
  counts: Record<string, number>;
  refused: string[];
}

export interface ImportRequest {
  /** The file to read. */
  path: string;
}

export type ImportWay = "proposed" | "replayed";

/** What waits. */
export interface InboxAnswer {
  items: InboxItem[];
  next_cursor: string | null;
}

/** A memory that waits, why it waits, and what it rests on. */
export interface InboxItem {
  memory: MemoryView;
  waits_because: string;
  cause: PendingCause | null;
  evidence: SourceView[];
  conflicts: ConflictView[];
  opposes: MemoryView[];
}

export interface InboxRequest {
  /** Only memories of these kinds. */
  kinds?: readonly Kind[] | null;
  /** Only these scopes; left out, the caller's own surroundings. */
  scopes?: readonly string[] | null;
  /** At most this many. Default: 50. */
  limit?: number;
  /** Where the page before ended (its next_cursor). */
  cursor?: string | null;
}

/** What was found and what became of it. */
export interface IngestAnswer {
  format: string;
  documents: number;
  conversations: number;
  turns: number;
  memories: Record<string, number>;
  unchanged: number;
  expired: number;
  returned: number;
  left_out: number;
  details: LeftOut[];
  jobs: string[];
}

export interface IngestRequest {
  /** A file, a folder or a zip on this machine. */
  path: string;
  /** What it is; left out, that is found out from what is in it. */
  source_format?: string | null;
  /** Where it belongs: global, team:ID, project:ID, repo:ID, agent:ID or session:ID. */
  scope?: string | null;
  /** Who may ever see it. */
  visibility?: Visibility | null;
  /** Whether memories are to be found in it later; left out, as the settings say. */
  extract?: boolean | null;
}

/** A block of recalled memory for a prompt; an empty one where nothing good was found. */
export interface InjectAnswer {
  block: string;
  recall_id: string;
  injected: string[];
  tier: Tier;
  tokens: number;
  notes: string[];
  note_codes: NoteCode[];
  messages: ChatMessage[];
}

export interface InjectRequest {
  /** Only these scopes; left out, the caller's own surroundings. */
  scopes?: readonly string[] | null;
  /** Only memories of these kinds. */
  kinds?: readonly Kind[] | null;
  /** What the user says or wants, in plain words. */
  context: string;
  /** The last messages, oldest first: a question that leans on them is completed from them. */
  messages?: readonly string[] | null;
  /** The chat so far, role and content of each message: the block is put into it. */
  chat?: readonly ChatMessage[] | null;
  /** At most this many memories. Default: 10. */
  limit?: number;
  /** At most this many tokens, the block's own words included; left out, 4,000. What does not fit is shortened, then left out. */
  max_tokens?: number | null;
  /** Do less: at most five memories, found by their words alone. Default: false. */
  under_budget?: boolean;
  /** What is given: summaries of up to three categories, the items themselves, or (auto) the summaries where they say all that the items would. Default: "auto". */
  tier?: "auto" | "items" | "summaries";
  /** How much of each is told: a line (L0), a summary (L1) or everything (L2). Default: "L2". */
  detail?: "L0" | "L1" | "L2";
  /** A subject to file it under. */
  topic?: string | null;
  /** What is searched: memory, items (entities, claims and artifacts), sources (captured documents), sessions (captured conversations); left out, all but sessions. */
  within?: readonly ("items" | "memory" | "sessions" | "sources")[] | null;
  /** As believed then: a moment such as 2026-05-17 or '3 days ago', or a ledger entry such as #120. */
  as_of?: string | null;
}

/** One job with everything that came of it. */
export interface JobAnswer {
  job: JobView;
  arguments: Record<string, unknown>;
  outcome: Record<string, unknown>;
}

export interface JobRequest {
  /** The id of a job. */
  job: string;
}

export type JobState = "cancelled" | "done" | "failed" | "running" | "suspended" | "waiting";

/** A piece of work: what, for whom, how far, and what became of it. */
export interface JobView {
  id: string;
  name: string;
  about: string | null;
  scope: string;
  asked_by: string;
  trigger: string;
  state: JobState;
  done: number;
  total: number;
  tries: number;
  due_at: string;
  error: string | null;
  note: string | null;
  counts: Record<string, number>;
  created_at: string;
  finished_at: string | null;
}

/** The newest jobs first. */
export interface JobsAnswer {
  items: JobView[];
  next_cursor: string | null;
  waiting: number;
  running: number;
  failed: number;
  suspended: number;
}

export interface JobsRequest {
  /** Only jobs of these names, such as extract. */
  names?: readonly string[] | null;
  /** Only jobs in these states. */
  states?: readonly JobState[] | null;
  /** At most this many. Default: 20. */
  limit?: number;
  /** Where the page before ended (its next_cursor). */
  cursor?: string | null;
}

/** What sort of belief a memory is. */
export type Kind = "artifact" | "claim" | "convention" | "decision" | "entity" | "episode" | "insight" | "lesson" | "note" | "pattern" | "preference" | "profile" | "project" | "task_hint";

export interface LearnManyRequest {
  /** Objects with the arguments of learn. */
  memories: readonly NewMemory[];
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface LearnRequest {
  /** What is to be remembered, in plain words. */
  content: string;
  /** How well the evidence supports it, 0 to 1; left out, it follows from strength. */
  confidence?: number | null;
  /** A subject to file it under. */
  topic?: string | null;
  /** Where it comes from: a file with a line (src/app.py:12), a URL, a conversation, a run. */
  source?: string | null;
  /** Where it belongs: global, team:ID, project:ID, repo:ID, agent:ID or session:ID. */
  scope?: string | null;
  /** How soon it should be doubted. */
  staleness?: Staleness | null;
  /** What sort of belief it is. Default: "note". */
  kind?: Kind;
  /** A short title; left out, its first sentence. */
  title?: string | null;
  /** A shorter form of a long memory. */
  summary?: string | null;
  /** Why it was decided; a decision needs one before it counts. */
  rationale?: string | null;
  /** An area of life or work: work, health, preferences, ... */
  category?: string | null;
  /** How the evidence says it. Default: "explicit". */
  strength?: Strength;
  /** Who may ever see it. */
  visibility?: Visibility | null;
  /** The passage it was taken from, kept as evidence. */
  source_text?: string | null;
  /** What sort of source it is. Default: "manual". */
  source_kind?: SourceKind;
  /** Since when it holds in the world. */
  valid_from?: string | null;
  /** Until when it holds in the world. */
  valid_to?: string | null;
  /** When it was observed, if not now. */
  observed_at?: string | null;
  /** If it contradicts a held memory: wait in the inbox, be refused, or stand beside it. */
  on_conflict?: "coexist" | "refuse" | "wait" | null;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** Something that was not taken in, and why. */
export interface LeftOut {
  path: string;
  reason: string;
}

/** What became of a link. */
export interface LinkAnswer {
  outcome: LinkOutcome;
  reason: string;
  seq: number;
  link: LinkView;
}

export type LinkOutcome = "linked" | "unchanged" | "unlinked";

export interface LinkRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** Another memory, by id or IRI, or any IRI. */
  to: string;
  /** causes, requires, contradicts, supports, supersedes, applies_to, derived_from, related_to, overrides, or a word of your own. Default: "related_to". */
  relationship?: string;
  /** Why they belong together. */
  reason?: string | null;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** A link. */
export interface LinkView {
  id: string;
  from_memory: string;
  to: string;
  relationship: string;
  author: string;
  reason: string | null;
  recorded_from: string;
  recorded_to: string | null;
}

/** Memories. */
export interface ListAnswer {
  items: MemoryView[];
  next_cursor: string | null;
}

export interface ListRequest {
  /** Only these scopes; left out, the caller's own surroundings. */
  scopes?: readonly string[] | null;
  /** Only these statuses; left out, active ones. */
  statuses?: readonly Status[] | null;
  /** Only these kinds. */
  kinds?: readonly Kind[] | null;
  /** A subject to file it under. */
  topic?: string | null;
  /** Only memories of this project. */
  project?: string | null;
  /** Only memories of this repo. */
  repo?: string | null;
  /** Only what this agent or person said, such as agent:codex. */
  agent?: string | null;
  /** At most this many. Default: 50. */
  limit?: number;
  /** Where the page before ended (its next_cursor). */
  cursor?: string | null;
  /** As believed then: a moment such as 2026-05-17 or '3 days ago', or a ledger entry such as #120. */
  as_of?: string | null;
  /** Only what held in the world at that moment. */
  valid_at?: string | null;
}

export type MaintainRequest = Record<string, never>;

/** A memory. */
export interface MemoryView {
  id: string;
  iri: string;
  kind: Kind;
  title: string;
  content: string;
  summary: string | null;
  rationale: string | null;
  scope: string;
  project_id: string | null;
  repo_id: string | null;
  visibility: Visibility;
  status: Status;
  confidence: number;
  strength: Strength;
  sentiment: Tone;
  topic: string | null;
  category: string | null;
  staleness: Staleness;
  stale: boolean;
  agent: string;
  human_verified: boolean;
  verified_by: string | null;
  valid_from: string | null;
  valid_to: string | null;
  observed_at: string;
  created_at: string;
  updated_at: string;
  recorded_from: string;
  recorded_to: string | null;
  version: number;
  change: string;
  changed_by: string;
  reason: string | null;
  cause: Cause | null;
}

export interface MergeRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** The one that becomes part of it, by id or IRI. */
  other: string;
  /** Why they are one. Default: "both say the same". */
  reason?: string;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** One turn of a conversation. */
export interface MessageInput {
  content: string;
  /** Default: "user". */
  role?: string;
  name?: string | null;
  /** A moment: 2026-05-17, 2026-05-17T09:30:00Z or '3 days ago'. */
  at?: string | null;
}

export type MessageType = "event" | "request" | "response";

/** What is to be learned: the request of `learn`, and one of a batch. */
export interface NewMemory {
  /** What is to be remembered, in plain words. */
  content: string;
  /** How well the evidence supports it, 0 to 1; left out, it follows from strength. */
  confidence?: number | null;
  /** A subject to file it under. */
  topic?: string | null;
  /** Where it comes from: a file with a line (src/app.py:12), a URL, a conversation, a run. */
  source?: string | null;
  /** Where it belongs: global, team:ID, project:ID, repo:ID, agent:ID or session:ID. */
  scope?: string | null;
  /** How soon it should be doubted. */
  staleness?: Staleness | null;
  /** What sort of belief it is. Default: "note". */
  kind?: Kind;
  /** A short title; left out, its first sentence. */
  title?: string | null;
  /** A shorter form of a long memory. */
  summary?: string | null;
  /** Why it was decided; a decision needs one before it counts. */
  rationale?: string | null;
  /** An area of life or work: work, health, preferences, ... */
  category?: string | null;
  /** How the evidence says it. Default: "explicit". */
  strength?: Strength;
  /** Who may ever see it. */
  visibility?: Visibility | null;
  /** The passage it was taken from, kept as evidence. */
  source_text?: string | null;
  /** What sort of source it is. Default: "manual". */
  source_kind?: SourceKind;
  /** Since when it holds in the world. */
  valid_from?: string | null;
  /** Until when it holds in the world. */
  valid_to?: string | null;
  /** When it was observed, if not now. */
  observed_at?: string | null;
  /** If it contradicts a held memory: wait in the inbox, be refused, or stand beside it. */
  on_conflict?: "coexist" | "refuse" | "wait" | null;
}

export type NoteCode = "from_elsewhere" | "index_missing" | "model_unavailable" | "not_in_block" | "nothing_good" | "over_budget" | "read_as" | "reranker_failed" | "sessions_not_searched" | "shortened" | "vectors_failed" | "vectors_missing";

/** A piece of captured evidence: a turn of a conversation, or a part of a document. */
export interface PassageView {
  number: number;
  source_id: string;
  kind: SourceKind;
  text: string;
  reference: string | null;
  title: string | null;
  thread: string | null;
  place: number | null;
  speaker: string | null;
  author: string;
  scope: string;
  occurred_at: string | null;
  recorded_at: string;
}

export type PendingCause = "contradiction" | "extracted" | "imported" | "insight" | "needs_rationale" | "needs_rationale_and_source" | "needs_source" | "opinion" | "peer" | "pending_elsewhere" | "personal" | "protected" | "quarantine";

/** One thing that does not agree. */
export interface Problem {
  what: string;
  where: string;
  detail: string;
}

/** What went wrong, as RFC 9457 says it, with our code, field and hint. */
export interface ProblemDetails {
  /** A name for this sort of problem, the same everywhere. */
  type: string;
  /** The same in words. */
  title: string;
  /** The status of the answer. */
  status: number;
  /** What went wrong this time. */
  detail: string;
  /** What went wrong, in a word that stays the same: invalid_input, busy, ... */
  code: string;
  /** The argument that is meant. */
  field: string | null;
  /** What to do next. */
  hint: string | null;
  /** This request, by the id that its header Heldtrue-Request and the server's log have too. */
  instance: string | null;
}

export type ProfileName = "brain" | "default" | "dual" | "hybrid" | "rank";

/** The same in the words of PROV-O. */
export interface Provenance {
  "prov:wasGeneratedBy": string;
  "prov:wasAttributedTo": string;
  "prov:generatedAtTime": string;
  "prov:wasInvalidatedBy": string | null;
  "prov:wasDerivedFrom": string[];
}

/** What a source took with it, or brought back. */
export interface QuarantineAnswer {
  outcome: QuarantineOutcome;
  reason: string;
  seq: number;
  source: string;
  passages: number;
  memories: string[];
  conflicts: string[];
}

export type QuarantineOutcome = "quarantined" | "released";

export interface QuarantineRequest {
  /** The id of a source, as explain and capture show it. */
  source: string;
  /** Why, in words; it stays readable in the history. */
  reason: string;
  /** Let it out again instead. Default: false. */
  release?: boolean;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** The results, best first, and what there is to know about the search itself. */
export interface RecallAnswer {
  recall_id: string;
  as_of: string | null;
  rewritten: string | null;
  profile: ProfileName;
  results: RecallResult[];
  notes: string[];
  note_codes: NoteCode[];
}

/** One line of the log. */
export interface RecallItem {
  id: string;
  at: string;
  by: string;
  channel: string;
  verb: string;
  question: string;
  tier: Tier;
  found: number;
}

export interface RecallRequest {
  /** Only these scopes; left out, the caller's own surroundings. */
  scopes?: readonly string[] | null;
  /** Only memories of these kinds. */
  kinds?: readonly Kind[] | null;
  /** Leave out what is less certain than this. Default: 0.0. */
  min_confidence?: number;
  /** Leave out what was observed longer ago: 7d, 36h, 2 weeks. */
  max_age?: string | null;
  /** At most this many results. Default: 10. */
  limit?: number;
  /** What you want to know, in plain words. */
  context: string;
  /** A subject: what is filed under it ranks higher. */
  topic?: string | null;
  /** What is searched: memory, items (entities, claims and artifacts), sources (captured documents), sessions (captured conversations); left out, all but sessions. */
  within?: readonly ("items" | "memory" | "sessions" | "sources")[] | null;
  /** Memories you ask from; what is linked to them ranks higher. */
  near?: readonly string[] | null;
  /** How results are weighed; left out, as the settings say. */
  profile?: "brain" | "default" | "dual" | "hybrid" | "rank" | null;
  /** Other weights for single parts of the score, 0 to 10, such as {"recency": 2}. */
  weights?: Record<string, number> | null;
  /** The last messages, oldest first: a question that leans on them is completed from them. */
  messages?: readonly string[] | null;
  /** Show so many turns before and after a hit in a conversation. Default: 0. */
  around?: number;
  /** At most this many results from one document. Default: 3. */
  per_source?: number;
  /** Where your own scopes have nothing: also show what other projects know, if it fits very well. Default: false. */
  elsewhere?: boolean;
  /** At most this many tokens of results; what does not fit is left out. */
  max_tokens?: number | null;
  /** As believed then: a moment such as 2026-05-17 or '3 days ago', or a ledger entry such as #120. */
  as_of?: string | null;
  /** Only what held in the world at that moment. */
  valid_at?: string | null;
}

/** A memory, or a passage of evidence: its score in parts, what it rests on, and why it was chosen. */
export interface RecallResult {
  memory: MemoryView | null;
  passage: PassageView | null;
  score: number;
  breakdown: Record<string, number>;
  matched_scope: string;
  evidence: SourceView[];
  trust: TrustView[];
  explanation: string;
  folded: string[];
  around: PassageView[];
  since: Replacement | null;
}

export type Recalled = "memory" | "passage";

/** One thing that a recall gave back. */
export interface RecalledView {
  id: string;
  what: Recalled;
  content: string | null;
  score: number;
  parts: Record<string, number>;
  injected: boolean;
  used: boolean | null;
}

/** Logged recalls. */
export interface RecallsAnswer {
  items: RecallItem[];
  next_cursor: string | null;
}

export interface RecallsRequest {
  /** At most this many. Default: 50. */
  limit?: number;
  /** Where the page before ended (its next_cursor). */
  cursor?: string | null;
}

export interface ReindexAnswer {
  versions: number;
}

export type ReindexRequest = Record<string, never>;

export interface RejectRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** Why, in words; it stays readable in the history. Default: "rejected". */
  reason?: string;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** A tombstone: what stays rejected, or was until it was lifted. */
export interface RejectedValue {
  grain: Grain;
  scope: string;
  reason: string;
  by: string;
  at: string;
  lifted_at: string | null;
  lifted_by: string | null;
  lift_reason: string | null;
}

/** What became of a memory after the moment that was asked about. */
export interface Replacement {
  status: Status;
  at: string;
  by: string;
  reason: string | null;
  replaced_by: string | null;
  content: string | null;
}

/** What a verification found. */
export interface Report {
  ok: boolean;
  entries: number;
  records: number;
  head: string;
  problems: Problem[];
  notes: string[];
}

export interface RescueRequest {
  /** The id of a job. */
  job: string;
  /** Which of its candidates, counted from 1 as `job` shows them. */
  candidate: number;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface ResolveRequest {
  /** The id of the conflict. */
  conflict: string;
  /** keep_old, keep_new, keep_both, remove_both or merge. */
  disposition: Disposition;
  /** Why, in words; it stays readable in the history. Default: "resolved". */
  reason?: string;
  /** With merge: what both become. */
  text?: string | null;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** What a backup brought back. */
export interface RestoreBackupAnswer {
  path: string;
  entries: number;
}

export interface RestoreBackupRequest {
  /** The file of a backup or of an export. */
  path: string;
}

export interface RestoreRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** Why it is right after all. Default: "restored". */
  reason?: string;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** Why whoever kept a memory takes it out of use without calling it wrong. */
export type RetractionCause = "deleted" | "replaced";

export interface RetryRequest {
  /** The id of a job. */
  job: string;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** What became of many memories at once. */
export interface ReviewAnswer {
  dry_run: boolean;
  matched: number;
  counts: Record<string, number>;
  memories: string[];
  contents: string[];
  problems: string[];
  more: boolean;
}

export interface ReviewRequest {
  /** What becomes of all that match. */
  decision: "approve" | "reject";
  /** Why, in words; it stays readable in the history. */
  reason: string;
  /** Only memories of these kinds. */
  kinds?: readonly Kind[] | null;
  /** Only these scopes; left out, the caller's own surroundings. */
  scopes?: readonly string[] | null;
  /** Only what is filed under this subject. */
  topic?: string | null;
  /** Only what this principal wrote, such as agent:codex. */
  author?: string | null;
  /** Only what is at least so certain. Default: 0.0. */
  min_confidence?: number;
  /** At most this many. Default: 100. */
  limit?: number;
  /** Only say which ones it would be. Default: false. */
  dry_run?: boolean;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface RevokeAgentRequest {
  /** The name of the agent, such as claude-code. */
  name: string;
}

/** What an agent is there for, and so what it may reach. */
export type Role = "admin" | "project" | "skill";

export interface RotateAgentRequest {
  /** The name of the agent, such as claude-code. */
  name: string;
}

export interface SaveViewRequest {
  /** The name the question is kept under. */
  name: string;
  /** What is asked, in plain words. */
  question: string;
  /** Further arguments of recall, such as {"limit": 3}. */
  arguments?: Record<string, unknown> | null;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** What became of a view: saved, replaced, unchanged or dropped. */
export interface SavedAnswer {
  outcome: SavedOutcome;
  view: SavedQuestion;
  seq: number;
}

export type SavedOutcome = "dropped" | "replaced" | "saved" | "unchanged";

/** A question kept under a name. */
export interface SavedQuestion {
  id: string;
  name: string;
  question: string;
  arguments: Record<string, unknown>;
  author: string;
  saved_at: string;
}

export interface SearchRequest {
  /** Only these scopes; left out, the caller's own surroundings. */
  scopes?: readonly string[] | null;
  /** Only memories of these kinds. */
  kinds?: readonly Kind[] | null;
  /** Leave out what is less certain than this. Default: 0.0. */
  min_confidence?: number;
  /** Leave out what was observed longer ago: 7d, 36h, 2 weeks. */
  max_age?: string | null;
  /** At most this many results. Default: 10. */
  limit?: number;
  /** Words to look for. */
  query: string;
}

/** What was handed over. */
export interface ShareAnswer {
  message: HandedMessage;
  seq: number;
}

export interface ShareRequest {
  /** The agent that is to get it. */
  to: string;
  /** What is wanted of it, in a word or two. */
  action: string;
  /** Ids of the memories that come along. */
  memories?: readonly string[] | null;
  /** What else it has to know. */
  context?: string | null;
  /** What sort of message. Default: "request". */
  message_type?: "event" | "request" | "response";
  /** How long it may be read, such as '1 hour' or '2 days'. Default: "1 day". */
  expires?: string;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export type SourceKind = "conversation" | "document" | "import" | "manual" | "run";

/** A piece of evidence, and where it came from. */
export interface SourceView {
  source_id: string;
  kind: SourceKind;
  content: string;
  reference: string | null;
  file: string | null;
  line: number | null;
  span: [number, number] | null;
  author: string;
  speaker: string | null;
  thread: string | null;
  supports_version: number;
  recorded_at: string;
}

/** How soon a memory should be doubted. */
export type Staleness = "daily" | "hourly" | "stable" | "volatile" | "weekly";

export type Standing = "admin" | "person" | "project" | "skill";

/** Whether a memory may be acted on. */
export type Status = "active" | "archived" | "contradicted" | "inbox" | "rejected" | "retracted" | "superseded";

/** The size and state of a space, as far as the caller may see it. */
export interface StatusAnswer {
  name: string;
  space: string;
  home: string | null;
  active: number;
  statuses: Record<string, number>;
  kinds: Record<string, number>;
  scopes: Record<string, number>;
  topics: Record<string, number>;
  agents: Record<string, number>;
  staleness: Record<string, number>;
  stale: number;
  inbox: number;
  pending_conflicts: number;
  rejected_values: number | null;
  sources: number | null;
  jobs: Record<string, number> | null;
  ledger_entries: number | null;
  head: string | null;
  last_write: string | null;
  bytes_on_disk: number | null;
  warnings: string[];
}

export type StatusRequest = Record<string, never>;

/** How the evidence says it: outright, between the lines, or by inference. */
export type Strength = "explicit" | "implied" | "inferred";

/** Summaries. */
export interface SummariesAnswer {
  items: SummaryView[];
  next_cursor: string | null;
}

export interface SummariesRequest {
  /** Only this category, such as work or preferences. */
  category?: string | null;
  /** Only these scopes; left out, the caller's own surroundings. */
  scopes?: readonly string[] | null;
  /** Also so many older versions; only a person may. Default: 0. */
  earlier?: number;
}

/** What is known of a category in a scope. */
export interface SummaryView {
  scope: string;
  category: string;
  memories: number;
  text: string;
  made_at: string | null;
  earlier: EarlierSummary[];
}

export type Tier = "items" | "none" | "summaries";

export type Tone = "excited" | "frustrated" | "neutral" | "uncertain";

export type Trust = "conflicting" | "overridden" | "stale" | "uncertain" | "unconfirmed" | "upcoming";

/** One thing to know about a result before acting on it, and the memory it concerns. */
export interface TrustView {
  tag: Trust;
  detail: string;
  memory_id: string | null;
}

/** What was taken back. */
export interface UndoAnswer {
  undone: number;
  memories: string[];
  left: string[];
  seq: number;
}

export interface UndoRequest {
  /** The id of a job: all that it changed. */
  job?: string | null;
  /** One entry of the ledger that a job made, such as #120. */
  entry?: string | null;
  /** Why, in words; it stays readable in the history. */
  reason: string;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface UnlinkRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** What it is linked to, by id or IRI. */
  to: string;
  /** The relationship to take back. Default: "related_to". */
  relationship?: string;
  /** Why, in words; it stays readable in the history. */
  reason: string;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface UpkeepAnswer {
  done: string[];
}

export interface UpsertProfileFactRequest {
  /** What is to be remembered, in plain words. */
  content: string;
  /** Where it comes from: a file with a line (src/app.py:12), a URL, a conversation, a run. */
  source?: string | null;
  /** Where it belongs: global, team:ID, project:ID, repo:ID, agent:ID or session:ID. */
  scope?: string | null;
  /** An area of life or work: work, health, preferences, ... */
  category?: string | null;
  /** Any text that names this one request: sent again, it gets the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface VerifyRequest {
  /** A head you noted earlier (SEQ:HASH): proves that nothing before it changed. */
  head?: string | null;
}

export interface ViewRequest {
  /** The name the question is kept under. */
  name: string;
  /** For a person: whose view is meant, where several have one of that name. */
  author?: string | null;
}

/** Questions that are kept. */
export interface ViewsAnswer {
  items: SavedQuestion[];
  next_cursor: string | null;
}

export type ViewsRequest = Record<string, never>;

/** Who may ever see it: the writing agent alone, this instance, or peers too. */
export type Visibility = "local" | "private" | "shared";

/** One recall: what was asked, by whom, what came back and why, what it cost, and what was used of it. */
export interface WhyAnswer {
  recall_id: string;
  at: string;
  by: string;
  channel: string;
  verb: string;
  question: string;
  rewritten: string | null;
  arguments: Record<string, unknown>;
  tier: Tier;
  results: RecalledView[];
  cost: Record<string, unknown>;
  feedback: FeedbackView | null;
}

export interface WhyRequest {
  /** The recall_id of the answer that a recall gave. */
  recall_id: string;
}

/** What was done, and what still waits. */
export interface WorkAnswer {
  jobs: JobView[];
  waiting: number;
}

export interface WorkRequest {
  /** Only jobs of these names, such as extract. */
  names?: readonly string[] | null;
}

/** What a write came to, and why. */
export interface WriteAnswer {
  outcome: WriteOutcome;
  reason: string;
  seq: number;
  memory: MemoryView | null;
  cause: Cause | null;
  hint: string | null;
  notes: string[];
  conflicts: string[];
  kept: MemoryView[];
}

export type WriteOutcome = "approved" | "corroborated" | "created" | "merged" | "pending" | "refreshed" | "refused" | "rejected" | "resolved" | "restored" | "retracted" | "superseded" | "unchanged";

/** What each operation takes and answers. */
export interface Operations {
  add_agent: { request: AddAgentRequest; answer: AgentAnswer };
  agents: { request: AgentsRequest; answer: AgentsAnswer };
  approve: { request: ApproveRequest; answer: WriteAnswer };
  backup: { request: BackupRequest; answer: BackupAnswer };
  cancel: { request: CancelRequest; answer: JobView };
  capture: { request: CaptureRequest; answer: CaptureAnswer };
  capture_conversation: { request: CaptureConversationRequest; answer: CaptureAnswer };
  capture_session: { request: CaptureSessionRequest; answer: CaptureAnswer };
  compact: { request: CompactRequest; answer: CompactAnswer };
  conflicts: { request: ConflictsRequest; answer: ConflictsAnswer };
  consolidate: { request: ConsolidateRequest; answer: ConsolidateAnswer };
  context_for: { request: ContextForRequest; answer: ContextBundle };
  correct: { request: CorrectRequest; answer: WriteAnswer };
  diff: { request: DiffRequest; answer: DiffAnswer };
  drop_view: { request: DropViewRequest; answer: SavedAnswer };
  events: { request: EventsRequest; answer: EventsAnswer };
  expand: { request: ExpandRequest; answer: ExpandAnswer };
  explain: { request: ExplainRequest; answer: Explanation };
  export: { request: ExportRequest; answer: ExportAnswer };
  feedback: { request: FeedbackRequest; answer: FeedbackAnswer };
  forget: { request: ForgetRequest; answer: WriteAnswer };
  get: { request: GetRequest; answer: GetAnswer };
  handed: { request: HandedRequest; answer: HandedAnswer };
  history: { request: HistoryRequest; answer: HistoryAnswer };
  import: { request: ImportRequest; answer: ImportAnswer };
  inbox: { request: InboxRequest; answer: InboxAnswer };
  ingest: { request: IngestRequest; answer: IngestAnswer };
  inject: { request: InjectRequest; answer: InjectAnswer };
  job: { request: JobRequest; answer: JobAnswer };
  jobs: { request: JobsRequest; answer: JobsAnswer };
  learn: { request: LearnRequest; answer: WriteAnswer };
  learn_many: { request: LearnManyRequest; answer: BatchAnswer };
  link: { request: LinkRequest; answer: LinkAnswer };
  list: { request: ListRequest; answer: ListAnswer };
  maintain: { request: MaintainRequest; answer: UpkeepAnswer };
  merge: { request: MergeRequest; answer: WriteAnswer };
  quarantine: { request: QuarantineRequest; answer: QuarantineAnswer };
  recall: { request: RecallRequest; answer: RecallAnswer };
  recalls: { request: RecallsRequest; answer: RecallsAnswer };
  reindex: { request: ReindexRequest; answer: ReindexAnswer };
  reject: { request: RejectRequest; answer: WriteAnswer };
  rescue: { request: RescueRequest; answer: WriteAnswer };
  resolve: { request: ResolveRequest; answer: WriteAnswer };
  restore: { request: RestoreRequest; answer: WriteAnswer };
  restore_backup: { request: RestoreBackupRequest; answer: RestoreBackupAnswer };
  retry: { request: RetryRequest; answer: JobView };
  review: { request: ReviewRequest; answer: ReviewAnswer };
  revoke_agent: { request: RevokeAgentRequest; answer: AgentAnswer };
  rotate_agent: { request: RotateAgentRequest; answer: AgentAnswer };
  save_view: { request: SaveViewRequest; answer: SavedAnswer };
  search: { request: SearchRequest; answer: RecallAnswer };
  share: { request: ShareRequest; answer: ShareAnswer };
  status: { request: StatusRequest; answer: StatusAnswer };
  summaries: { request: SummariesRequest; answer: SummariesAnswer };
  undo: { request: UndoRequest; answer: UndoAnswer };
  unlink: { request: UnlinkRequest; answer: LinkAnswer };
  upsert_profile_fact: { request: UpsertProfileFactRequest; answer: WriteAnswer };
  verify: { request: VerifyRequest; answer: Report };
  view: { request: ViewRequest; answer: RecallAnswer };
  views: { request: ViewsRequest; answer: ViewsAnswer };
  why: { request: WhyRequest; answer: WhyAnswer };
  work: { request: WorkRequest; answer: WorkAnswer };
}

export type OperationName = keyof Operations;
export type RequestOf<Name extends OperationName> = Operations[Name]["request"];
export type AnswerOf<Name extends OperationName> = Operations[Name]["answer"];

/** What follows the name of an operation: what it needs, or nothing where it needs nothing. */
export type Given<Name extends OperationName> =
  Record<never, never> extends RequestOf<Name>
    ? [request?: RequestOf<Name>, options?: CallOptions]
    : [request: RequestOf<Name>, options?: CallOptions];

/** What an operation does to a space. */
export type Effect = "read" | "write" | "admin";

export const EFFECTS: { readonly [Name in OperationName]: Effect } = {
  add_agent: "admin",
  agents: "read",
  approve: "write",
  backup: "admin",
  cancel: "write",
  capture: "write",
  capture_conversation: "write",
  capture_session: "write",
  compact: "admin",
  conflicts: "read",
  consolidate: "admin",
  context_for: "read",
  correct: "write",
  diff: "read",
  drop_view: "write",
  events: "read",
  expand: "read",
  explain: "read",
  export: "admin",
  feedback: "write",
  forget: "write",
  get: "read",
  handed: "read",
  history: "read",
  import: "admin",
  inbox: "read",
  ingest: "admin",
  inject: "read",
  job: "read",
  jobs: "read",
  learn: "write",
  learn_many: "write",
  link: "write",
  list: "read",
  maintain: "admin",
  merge: "write",
  quarantine: "write",
  recall: "read",
  recalls: "read",
  reindex: "admin",
  reject: "write",
  rescue: "write",
  resolve: "write",
  restore: "write",
  restore_backup: "admin",
  retry: "write",
  review: "write",
  revoke_agent: "admin",
  rotate_agent: "admin",
  save_view: "write",
  search: "read",
  share: "write",
  status: "read",
  summaries: "read",
  undo: "write",
  unlink: "write",
  upsert_profile_fact: "write",
  verify: "read",
  view: "read",
  views: "read",
  why: "read",
  work: "admin",
};

/** One method for each capability. */
export abstract class Capabilities {
  /** Use a capability by its name. */
  abstract call<Name extends OperationName>(name: Name, ...given: Given<Name>): Promise<AnswerOf<Name>>;

  /** Let an agent in: it gets a token, which is shown once, and reaches what its role and projects allow. */
  addAgent(request: AddAgentRequest, options?: CallOptions): Promise<AgentAnswer> {
    return this.call("add_agent", request, options);
  }

  /** Who may come by token, and what each may reach. */
  agents(request: AgentsRequest = {}, options?: CallOptions): Promise<AgentsAnswer> {
    return this.call("agents", request, options);
  }

  /** Let a waiting memory count, or stand behind one that an agent learned; only a person can. */
  approve(request: ApproveRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("approve", request, options);
  }

  /**
   * Write a consistent, verified copy while others go on reading and writing.
   *
   * SQLite gives a database file, PostgreSQL an export; `restore_backup` takes either, into either.
   */
  backup(request: BackupRequest, options?: CallOptions): Promise<BackupAnswer> {
    return this.call("backup", request, options);
  }

  /** End a job that waits or runs; what it has done so far stays done, and can be undone like any other change. */
  cancel(request: CancelRequest, options?: CallOptions): Promise<JobView> {
    return this.call("cancel", request, options);
  }

  /**
   * Keep a text or a conversation as evidence: word for word, findable by recall, and claimed by nobody.
   *
   * What it says is looked through later, by `work`, and waits in the inbox then. Sent again, it changes nothing; a
   * conversation that has grown adds its new turns. Secrets are masked before anything is stored, and what says
   * something rejected is kept but not shown.
   */
  capture(request: CaptureRequest = {}, options?: CallOptions): Promise<CaptureAnswer> {
    return this.call("capture", request, options);
  }

  /** Hand in a conversation between people that was meant to be kept: its turns, notes or a summary. */
  captureConversation(request: CaptureConversationRequest = {}, options?: CallOptions): Promise<CaptureAnswer> {
    return this.call("capture_conversation", request, options);
  }

  /** Hand in the transcript of an agent's session when it ends; what it says is looked through later. */
  captureSession(request: CaptureSessionRequest, options?: CallOptions): Promise<CaptureAnswer> {
    return this.call("capture_session", request, options);
  }

  /**
   * Tidy the working set: archive what is doubtful, out of date or long forgotten, and merge what is said twice.
   *
   * Nothing leaves history, and `undo` takes it back.
   */
  compact(request: CompactRequest = {}, options?: CallOptions): Promise<CompactAnswer> {
    return this.call("compact", request, options);
  }

  /** Memories that contradict each other, with both sides and what disagrees. */
  conflicts(request: ConflictsRequest = {}, options?: CallOptions): Promise<ConflictsAnswer> {
    return this.call("conflicts", request, options);
  }

  /**
   * Make one memory of those that say the same, and let what is confirmed by the rules of promotion count.
   *
   * Nothing leaves history, and `undo` takes it back.
   */
  consolidate(request: ConsolidateRequest = {}, options?: CallOptions): Promise<ConsolidateAnswer> {
    return this.call("consolidate", request, options);
  }

  /**
   * What to know before a task: profile, decisions, conventions, lessons, and what fits, each with its sources.
   *
   * Only the global scope, the project, the repository, the session, teams and the agent's own scope are looked at,
   * and only as far as the agent may see them. Half of the places are for what always counts, ranked by confidence,
   * freshness and use, and half for what fits the task; what one side leaves free, the other takes. Without a task,
   * the best of all else takes what is left free.
   */
  contextFor(request: ContextForRequest = {}, options?: CallOptions): Promise<ContextBundle> {
    return this.call("context_for", request, options);
  }

  /**
   * Replace a memory by what is right; the old one, the reason and the time stay readable.
   *
   * Where the memory said several things and the correction speaks of one of them, the others stay standing as
   * memories of their own. The old value stays rejected in its scope.
   */
  correct(request: CorrectRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("correct", request, options);
  }

  /**
   * What was added, corrected, retracted and linked since a moment, in the order it happened.
   *
   * At most `limit` ledger entries are looked at; `until` in the answer says how far that reached, and the next page
   * starts there.
   */
  diff(request: DiffRequest, options?: CallOptions): Promise<DiffAnswer> {
    return this.call("diff", request, options);
  }

  /** Take a saved question out of use; the history keeps it. */
  dropView(request: DropViewRequest, options?: CallOptions): Promise<SavedAnswer> {
    return this.call("drop_view", request, options);
  }

  /** One memory with its evidence, or one source with what was said around it, in as much detail as you want. */
  expand(request: ExpandRequest, options?: CallOptions): Promise<ExpandAnswer> {
    return this.call("expand", request, options);
  }

  /** Why a memory is believed, or why it no longer is: its whole provenance. */
  explain(request: ExplainRequest, options?: CallOptions): Promise<Explanation> {
    return this.call("explain", request, options);
  }

  /** Write the whole space to a file of JSON Lines: every id, time, link, status and ledger entry, in order. */
  export(request: ExportRequest, options?: CallOptions): Promise<ExportAnswer> {
    return this.call("export", request, options);
  }

  /**
   * Say what of a recall an answer used: that is found sooner next time, and what was ignored a little later.
   *
   * Only retrieval priority moves, never confidence or status; and only that of memories which the caller may write:
   * of others it is noted what was used. A second feedback of the same recall replaces the
   * first; `undo` takes it back. With `answer`, everything that was given is judged by its words, and ids that are
   * named decide for themselves; without it, only what is named moves.
   */
  feedback(request: FeedbackRequest, options?: CallOptions): Promise<FeedbackAnswer> {
    return this.call("feedback", request, options);
  }

  /**
   * Retract a memory: it is never recalled again and what it said stays rejected, but its history stays readable.
   *
   * This is not erasure: the words remain in the history for audit.
   */
  forget(request: ForgetRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("forget", request, options);
  }

  /** One memory with its evidence, links and conflicts; with `as_of`, as it was believed then. */
  get(request: GetRequest, options?: CallOptions): Promise<GetAnswer> {
    return this.call("get", request, options);
  }

  /** What other agents have handed to you for a task, newest first, until it expires. */
  handed(request: HandedRequest = {}, options?: CallOptions): Promise<HandedAnswer> {
    return this.call("handed", request, options);
  }

  /** Every version of a memory and every act upon it: what was believed, when, by whom, and why it changed. */
  history(request: HistoryRequest, options?: CallOptions): Promise<HistoryAnswer> {
    return this.call("history", request, options);
  }

  /**
   * Read an export, or a file with one memory per line as JSON with the arguments of learn.
   *
   * Into an empty space an export is replayed word for word, with its history, and every line is checked against
   * its hash chain; into a space that the export goes on from, the rest is. Into any other space each memory is
   * proposed at the gate like any other, and what was rejected in either stays rejected.
   */
  import(request: ImportRequest, options?: CallOptions): Promise<ImportAnswer> {
    return this.call("import", request, options);
  }

  /** What waits for a person's say, newest first, each with the reason and its evidence. */
  inbox(request: InboxRequest = {}, options?: CallOptions): Promise<InboxAnswer> {
    return this.call("inbox", request, options);
  }

  /**
   * Take in files, folders, exports and transcripts as evidence, and other products' memories as proposals.
   *
   * Formats: documents (notes, code, JSON, HTML, PDF), chatgpt, claude-export, claude-code, codex, server-memory,
   * mem0, basic-memory, obsidian, agents-files. Handed in again, only what is new or changed is taken; what is left
   * out is listed with its reason.
   */
  ingest(request: IngestRequest, options?: CallOptions): Promise<IngestAnswer> {
    return this.call("ingest", request, options);
  }

  /**
   * Recall what matters for a message, as a block of text to put right before it.
   *
   * The block is data: it is fenced so that nothing in it can pass for an instruction or for the end of the block,
   * and each entry has its id, kind, category, confidence, age and trust. What seldom changes comes first, so that a
   * model's prompt cache survives. What was put in is logged, so that `feedback` can tell what helped.
   */
  inject(request: InjectRequest, options?: CallOptions): Promise<InjectAnswer> {
    return this.call("inject", request, options);
  }

  /** Show one job; of an extraction also every candidate, its scores at the gate and what became of it. */
  job(request: JobRequest, options?: CallOptions): Promise<JobAnswer> {
    return this.call("job", request, options);
  }

  /** List the work that waits, runs, failed or is done, newest first. An agent sees what it asked for itself. */
  jobs(request: JobsRequest = {}, options?: CallOptions): Promise<JobsAnswer> {
    return this.call("jobs", request, options);
  }

  /**
   * Store a fact, preference, decision or rule, with its source, after checking it against what is held.
   *
   * The answer says what became of it and why: created; refreshed or corroborated where it was held already;
   * superseded where it ends an older fact; held in the inbox where a person must decide; refused where it was
   * rejected before. Secrets are masked before anything is stored.
   */
  learn(request: LearnRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("learn", request, options);
  }

  /** Store up to 1,000 memories in one durable step: all of them are kept, or none. */
  learnMany(request: LearnManyRequest, options?: CallOptions): Promise<BatchAnswer> {
    return this.call("learn_many", request, options);
  }

  /** Join a memory to another memory or to any IRI, by a typed relationship. */
  link(request: LinkRequest, options?: CallOptions): Promise<LinkAnswer> {
    return this.call("link", request, options);
  }

  /** Memories by their properties, newest first, page by page. */
  list(request: ListRequest = {}, options?: CallOptions): Promise<ListAnswer> {
    return this.call("list", request, options);
  }

  /** Do the upkeep of the database, in short steps beside other work; no memory changes. */
  maintain(request: MaintainRequest = {}, options?: CallOptions): Promise<UpkeepAnswer> {
    return this.call("maintain", request, options);
  }

  /** Make one memory of two that say the same: the first stays, with the evidence of both; only a person can. */
  merge(request: MergeRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("merge", request, options);
  }

  /**
   * Take a source out: it is no longer found, and what rests on it alone waits in the inbox; only a person can.
   *
   * Released, its passages are found again, unless they say what was rejected, and what only waited for it counts
   * again. Nothing is erased by this.
   */
  quarantine(request: QuarantineRequest, options?: CallOptions): Promise<QuarantineAnswer> {
    return this.call("quarantine", request, options);
  }

  /**
   * Find what matters for a question, best first, each with its score in parts, its evidence and its reason.
   *
   * Only active memories are recalled: nothing that waits, was rejected, retracted or replaced; and captured
   * evidence that says nothing which was rejected. Ask `as_of` a moment to get what was believed then, and what has
   * become of it since. Where nothing good is found, nothing is returned.
   */
  recall(request: RecallRequest, options?: CallOptions): Promise<RecallAnswer> {
    return this.call("recall", request, options);
  }

  /** The log of recalls, newest first: an agent's own, and for a person everyone's. */
  recalls(request: RecallsRequest = {}, options?: CallOptions): Promise<RecallsAnswer> {
    return this.call("recalls", request, options);
  }

  /** Make the word index, the look-up keys and the vectors anew from the records. */
  reindex(request: ReindexRequest = {}, options?: CallOptions): Promise<ReindexAnswer> {
    return this.call("reindex", request, options);
  }

  /** Turn a waiting memory down for good: the same value does not come back by itself; only a person can. */
  reject(request: RejectRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("reject", request, options);
  }

  /** Learn a candidate that the gate refused, as a person's own word; only a person can. */
  rescue(request: RescueRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("rescue", request, options);
  }

  /** Settle a conflict as a person says; it is remembered, so that the same conflict does not come back. */
  resolve(request: ResolveRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("resolve", request, options);
  }

  /**
   * Bring back a memory that was forgotten, rejected or replaced; only a person can.
   *
   * The values that were rejected with it are lifted, on the record.
   */
  restore(request: RestoreRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("restore", request, options);
  }

  /**
   * Bring a whole space back from a backup or an export, into an empty home.
   *
   * The history is verified before anything is written, and a home that has a history is never overwritten.
   */
  restoreBackup(request: RestoreBackupRequest, options?: CallOptions): Promise<RestoreBackupAnswer> {
    return this.call("restore_backup", request, options);
  }

  /**
   * Let a job that failed, waits or was cancelled be tried again at once, from where it had come to.
   *
   * Only a person lets one be done that is held, because whoever asked for it lost its token. What comes of it still
   * counts as said by that agent.
   */
  retry(request: RetryRequest, options?: CallOptions): Promise<JobView> {
    return this.call("retry", request, options);
  }

  /** Approve or reject everything in the inbox that fits, in one act; only a person can. */
  review(request: ReviewRequest, options?: CallOptions): Promise<ReviewAnswer> {
    return this.call("review", request, options);
  }

  /** Take an agent's token away; what it has written stays, and what it asked for and is not done yet is held. */
  revokeAgent(request: RevokeAgentRequest, options?: CallOptions): Promise<AgentAnswer> {
    return this.call("revoke_agent", request, options);
  }

  /** Give an agent a new token in the place of its old one, which ends at once; `owner` is you yourself. */
  rotateAgent(request: RotateAgentRequest, options?: CallOptions): Promise<AgentAnswer> {
    return this.call("rotate_agent", request, options);
  }

  /** Keep a question with its filters under a name, to be asked again; saved anew, it replaces the one before. */
  saveView(request: SaveViewRequest, options?: CallOptions): Promise<SavedAnswer> {
    return this.call("save_view", request, options);
  }

  /** Look memories up by words and filters; like recall, without evidence beneath them. */
  search(request: SearchRequest, options?: CallOptions): Promise<RecallAnswer> {
    return this.call("search", request, options);
  }

  /**
   * Hand another agent what a task needs: memories that you may read yourself, and words of your own.
   *
   * It can be read until it expires. A memory that is rejected or replaced meanwhile is no longer shown.
   */
  share(request: ShareRequest, options?: CallOptions): Promise<ShareAnswer> {
    return this.call("share", request, options);
  }

  /** How large the memory is, what waits, what is stale, who wrote it, and what to watch. */
  status(request: StatusRequest = {}, options?: CallOptions): Promise<StatusAnswer> {
    return this.call("status", request, options);
  }

  /** One summary for each category and scope, made from what counts now, as Markdown. */
  summaries(request: SummariesRequest = {}, options?: CallOptions): Promise<SummariesAnswer> {
    return this.call("summaries", request, options);
  }

  /** Take back what maintenance changed: a whole job, or one entry of it. History keeps both. */
  undo(request: UndoRequest, options?: CallOptions): Promise<UndoAnswer> {
    return this.call("undo", request, options);
  }

  /** Take a link back; that it was there stays in the history. */
  unlink(request: UnlinkRequest, options?: CallOptions): Promise<LinkAnswer> {
    return this.call("unlink", request, options);
  }

  /**
   * Say something about a person, in place of what was said before.
   *
   * Said by a person it counts at once and replaces what it contradicts; said by an agent it waits for a person.
   */
  upsertProfileFact(request: UpsertProfileFactRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("upsert_profile_fact", request, options);
  }

  /** Walk the whole history and report every edit, deletion, insertion, reordering and cut. */
  verify(request: VerifyRequest = {}, options?: CallOptions): Promise<Report> {
    return this.call("verify", request, options);
  }

  /** Ask a question that was kept under a name. It sees what the caller may see, whoever saved it. */
  view(request: ViewRequest, options?: CallOptions): Promise<RecallAnswer> {
    return this.call("view", request, options);
  }

  /** The questions kept under a name: an agent's own, and for a person everyone's. */
  views(request: ViewsRequest = {}, options?: CallOptions): Promise<ViewsAnswer> {
    return this.call("views", request, options);
  }

  /** Why a recall gave what it gave: the question, each result with its score in parts, the cost, and its use. */
  why(request: WhyRequest, options?: CallOptions): Promise<WhyAnswer> {
    return this.call("why", request, options);
  }

  /** Do the work that waits: read what was captured, and what is due regularly. Several may do it side by side. */
  work(request: WorkRequest = {}, options?: CallOptions): Promise<WorkAnswer> {
    return this.call("work", request, options);
  }
}
