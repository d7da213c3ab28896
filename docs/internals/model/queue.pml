/*
 * The queue of one lock, as docs/internals/design.md and the Lua scripts describe it, for Spin. The README
 * beside this file says what is checked, what was left out, and what each switch does.
 *
 * Redis is what the scripts change: each runs in one step. Everything else may take any time: a
 * command, an answer, a message, a client. Time is counted in ticks, and whatever a tick counts
 * down or up ends somewhere, so there are finitely many states.
 */

/* How much there is of everything. */

#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef TENURES
#define TENURES 2     /* how often the first client wants the lock */
#endif
#ifndef OTHERS
#define OTHERS TENURES /* how often the others do */
#endif
#ifndef FAULTS
#define FAULTS 2      /* crashes, lost answers, repeats, doubled messages, waits given up: in all */
#endif
#ifndef SPARE
#define SPARE 1       /* ids that each client has for requests that came to nothing */
#endif

#define IDS (TENURES + SPARE)
#define REQUESTS (CLIENTS * IDS)
#define MOST 9        /* requests that the model can have room for */
#define TURNS 12      /* at most; it is checked that this is enough */

/* How many ticks everything lasts. */

#ifdef TIMELY
#define LEASE 3       /* a hold that was asked for */
#define FIRST 2       /* a hold that was handed over, before its receiver extends it */
#define PLACE 2       /* a place in the queue */
#else
#ifndef LEASE
#define LEASE 2
#endif
#define FIRST 1
#define PLACE 1
#endif
#define VALID 1       /* how long a new request may still take effect */

#ifndef RENEWALS
#define RENEWALS 1    /* how often an owner has its lease renewed before it releases */
#endif

/* What clients ask, what they are answered, and what they do. */

mtype = { ACQUIRE, AGAIN, RENEW, RELEASE };
mtype = { HOLDS, WAITS, NOTHING, LATE };
mtype = { IDLE, WAITING, CONFIRMING, HOLDING, RELEASING, LEAVING, DONE, DEAD };

typedef Command {
  mtype kind;         /* 0 if there is none */
  byte id;            /* the request it is about */
  byte next;          /* RELEASE: the request that joins the queue in the same step, or 0 */
  byte token;         /* RELEASE: token of the hold */
  byte valid;         /* ACQUIRE: ticks until its deadline */
  byte ran            /* whether it ran at least once */
}

typedef Answer {
  mtype word;         /* 0 if there is none */
  byte left;          /* HOLDS: ticks left when it was given */
  byte released;      /* RELEASE: whether it is told that it had something */
  byte turn           /* HOLDS: which grant it is; WAITS: the latest grant */
}

#define some_of(mask, id) ((mask) & (1 << ((id) - 1)))
#define add_to(mask, id) mask = mask | (1 << ((id) - 1))
#define take_from(mask, id) mask = mask & ~(1 << ((id) - 1))

/* Redis: the hash of the lock. */

byte hold;                    /* request that holds the lock, or held it last */
byte left;                    /* ticks until the hold ends */
bool freed;                   /* whether it was released, and not just ran out */
byte last;                    /* latest token */
byte lost;                    /* latest token of a hold that ended without a release */
short released;               /* set of requests known to have been released before this hold */
byte queue[REQUESTS];         /* requests that wait, in order */
byte waiting;                 /* how many */
byte place[MOST + 1];         /* by request: 0 none, 1 ran out, else 1 + ticks that it lasts */

#define is_held (left > 0)
#define has_place(id) (place[id] > 0)
#define keeps_place(id) (place[id] > 1)
#define has(id) (has_place(id) || (is_held && hold == id))

/* The network: what is under way, in any order, and what may come late. */

Command call[CLIENTS];        /* what a client waits for the answer of */
Answer answer[CLIENTS];       /* the answer to it, on its way back */
Command ghost[CLIENTS];       /* a command that its client has given up, and may still run */
byte granted[TURNS + 1];      /* messages by turn: the request that was granted the lock, or 0 */
short leftover;               /* set of requests that their clients release some time */

/* The clients. */

mtype phase[CLIENTS];
byte request[CLIENTS];        /* id of the present request */
byte wishes[CLIENTS];         /* how often it still wants the lock */
bool doubtful[CLIENTS];       /* whether a question with this id ever failed */
byte asked[CLIENTS];          /* ticks since the call was sent */
byte since[CLIENTS];          /* ticks since a moment before which the request certainly did not hold */
byte spent[CLIENTS];          /* largest token that an answer has named */
byte trust[CLIENTS];          /* ticks for which it still believes that it holds */
byte tenure[CLIENTS];         /* which grant that is */
byte renewals[CLIENTS];

/* The protected resource. It takes no write with a smaller token than it has seen. */

byte write[CLIENTS];          /* turn of an owner whose write is under way: it may be paused */
byte seen;                    /* largest token */
byte seen_turn;

/* What only the checks look at. */

byte turn;                    /* grants so far */
#ifdef DATA_LOSS
byte token_of[TURNS + 1];     /* by turn */
#define token(t) token_of[t]
#else
#define token(t) (t)          /* without a loss of data it is the same */
#endif
short before[REQUESTS + 1];   /* by request: those that joined before it and kept their place since */
short over;                   /* set of requests that were released */
byte faults = FAULTS;
byte begun;                   /* clients that have begun: they do so in order, as they are all alike */

#define client_of(id) (((id) - 1) / IDS)
#define believes(c) (phase[c] == HOLDING && trust[c] > 0)

#if CLIENTS == 2
#define any(p) (p(0) || p(1))
#define believers (believes(0) + believes(1))
#else
#define any(p) (p(0) || p(1) || p(2))
#define believers (believes(0) + believes(1) + believes(2))
#endif

#ifdef DATA_LOSS
#define check_exclusion skip  /* no lock survives that; tokens do */
#else
#define check_exclusion assert(believers <= 1)
#endif

hidden byte i, k, head, had, passes, stands;  /* scratch within one step */
hidden Command once;
hidden Answer nowhere;

/* -- Redis: the steps of the scripts ---------------------------------------------------------- */

#define was_released(id, token) ((hold == id && freed) || some_of(released, id) \
  || ((token) > lost && (token) < last))

/* No longer counts as one that kept its place before others. */
inline forget(r) {
  for (i : 1 .. REQUESTS) {
    take_from(before[i], r)
  }
  i = 0
}

/* mutex.lua, grant. */
inline grant(r, lease) {
  /* Nobody is overtaken that keeps its place. */
  for (i : 1 .. REQUESTS) {
    assert(has_place(r) || i == r || !keeps_place(i))
  }
  assert(before[r] == 0);
  /* What was released holds nothing again, unless its client knows that it might. */
  assert(!some_of(over, r) || some_of(leftover, r));
  place[r] = 0;
  forget(r);
  if
  :: hold > 0 && !freed -> lost = last
  :: hold > 0 && freed ->
    released = (waiting > 0 -> released : 0);
    add_to(released, hold)
  :: else
  fi;
  turn++;
  assert(turn <= TURNS);
#ifdef PLAIN_TOKENS
  last = last + 1;
#else
  /* The moment of this grant: later than that of every grant before it, whatever Redis knows. */
  last = (last + 1 > turn -> last + 1 : turn);
#endif
#ifdef DATA_LOSS
  token_of[turn] = last;
#else
  assert(last == turn);
#endif
  hold = r; left = lease; freed = false;
  printf("Redis grants %d to request %d for %d ticks\n", turn, r, lease)
}

/* mutex.lua, join. */
inline join(r) {
  before[r] = 0;
  for (i : 1 .. REQUESTS) {
    if
    :: keeps_place(i) -> add_to(before[r], i)
    :: else
    fi
  }
  i = 0;
  queue[waiting] = r; waiting++;
  place[r] = PLACE + 1
}

/* mutex.lua, leave. */
inline leave(r) {
  i = 0;
  do
  :: queue[i] != r -> i++
  :: else -> break
  od;
  do
  :: i + 1 < waiting -> queue[i] = queue[i + 1]; i++
  :: else -> break
  od;
  waiting--; queue[waiting] = 0;
  place[r] = 0; before[r] = 0;
  forget(r)
}

/* mutex.lua, hand_over: to the first waiter that kept its place. */
inline hand_over(asking) {
  do
  :: waiting > 0 && !is_held ->
    head = queue[0];
#ifdef NO_EVICT
    if
    :: !keeps_place(head) -> break
    :: else
    fi;
#endif
    for (i : 1 .. waiting - 1) {
      queue[i - 1] = queue[i]
    }
    waiting--; queue[waiting] = 0;
    if
    :: keeps_place(head) -> grant(head, (head == asking -> LEASE : FIRST))
    :: else -> place[head] = 0; before[head] = 0
    fi
  :: else -> break
  od;
  if
  :: is_held && hold != asking -> granted[turn] = hold
  :: else
  fi;
  head = 0
}

#ifdef NO_NOT_AFTER
#define too_late(command) (command.kind == AGAIN)
#elif defined(JOIN_AGAIN)
#define too_late(command) (command.kind == ACQUIRE && command.valid == 0)
#else
#define too_late(command) (command.valid == 0)
#endif
#ifdef NOT_REPEAT_SAFE
#define has_held(r) false
#define holds_already(r) false
#else
#define has_held(r) (hold == r || was_released(r, 0))
#define holds_already(r) (is_held && hold == r)
#endif

/* mutex-acquire.lua. A free lock goes to whoever joins an empty queue. */
inline acquire(command, reply) {
  if
  :: holds_already(command.id)
#ifdef BARGING
  :: !is_held && !has_place(command.id) && !too_late(command) && !has_held(command.id) ->
    grant(command.id, LEASE)
#endif
  :: else ->
    if
    :: has_place(command.id) -> place[command.id] = PLACE + 1; passes = !is_held
    :: !has_place(command.id) && (too_late(command) || has_held(command.id)) -> reply.word = LATE
    :: else -> join(command.id); passes = !is_held
    fi
  fi
}

/* mutex-release.lua. */
inline release(command, reply) {
  if
#ifdef NO_OWNER_CHECK
  :: hold > 0 && !freed ->
#else
  :: hold == command.id && !freed ->
#endif
    left = 0; freed = true; passes = true;
    reply.released = true;
    add_to(over, command.id);
    if
    :: command.next > 0 -> join(command.next)
    :: else
    fi
  :: else ->
    if
    :: has_place(command.id) -> leave(command.id); reply.released = true
    :: else -> reply.released = was_released(command.id, command.token)
    fi
  fi
}

#ifdef RENEW_ANY
#define may_renew(r) is_held
#else
#define may_renew(r) (is_held && hold == r)
#endif

/* A command reaches Redis. What mutex-renew.lua does for a place, acquire does as well. */
inline reach(command, reply) {
  printf("Redis runs %e of request %d, next %d\n", command.kind, command.id, command.next);
  reply.word = NOTHING; reply.left = 0; reply.turn = 0; reply.released = 0;
  passes = 0;
  stands = (command.kind == RELEASE -> command.next : command.id);
  if
  :: command.kind == RELEASE -> release(command, reply)
  :: command.kind == RENEW ->
    left = (may_renew(command.id) -> LEASE : left)
  :: else -> acquire(command, reply)
  fi;
  if
  :: passes -> hand_over(stands)
  :: else
  fi;
  /* mutex.lua, standing. */
  if
  :: reply.word == LATE
  :: reply.word != LATE && (command.kind == RENEW -> may_renew(stands) : is_held && hold == stands) ->
    reply.word = HOLDS; reply.left = left; reply.turn = turn
  :: else ->
    if
    :: has_place(stands) -> reply.word = WAITS; reply.turn = turn
    :: else
    fi
  fi;
  command.ran = true
}

/* -- A client: one thread that wants the lock, its watchdog, its inbox ------------------------ */

#define FIRST_ID(c) ((c) * IDS + 1)
#define LAST_ID(c) ((c) * IDS + IDS)

#define asks(c) (call[c].kind == ACQUIRE || call[c].kind == AGAIN)
#define is_answered(c) (answer[c].word > 0)
#define is_gone(c) (phase[c] == DONE || phase[c] == DEAD)

inline clear(command) {
  command.kind = 0; command.id = 0; command.next = 0; command.token = 0; command.valid = 0;
  command.ran = false
}

inline copy(from, to) {
  to.kind = from.kind; to.id = from.id; to.next = from.next; to.token = from.token;
  to.valid = from.valid; to.ran = from.ran
}

inline clear_answer(c) {
  answer[c].word = 0; answer[c].left = 0; answer[c].turn = 0; asked[c] = 0
}

inline send(c, what) {
  printf("client %d sends %e for request %d\n", c, what, request[c]);
  call[c].kind = what; call[c].id = request[c];
  call[c].valid = (what == ACQUIRE -> VALID : 0)
}

/* The client waits no longer for an answer, and has no use for it. */
inline abandon(c) {
  clear(call[c]);
  clear_answer(c)
}

/* There is no answer. The command may still run, or run again. */
inline give_up_call(c) {
  if
  :: call[c].kind > 0 ->
    copy(call[c], ghost[c]);
    abandon(c)
  :: else
  fi
}

inline finish(c, how) {
  printf("client %d is %e\n", c, how);
  phase[c] = how; request[c] = 0; wishes[c] = 0;
  since[c] = 0; spent[c] = 0; trust[c] = 0; tenure[c] = 0; renewals[c] = 0; doubtful[c] = false
}

/* QueueEntry.newRequest. */
inline new_request(c) {
  if
  :: doubtful[c] -> add_to(leftover, request[c])
  :: else
  fi;
  doubtful[c] = false;
  since[c] = 0; spent[c] = 0; trust[c] = 0; tenure[c] = 0; renewals[c] = 0;
#ifdef TIMELY
  assert(request[c] < LAST_ID(c));  /* SPARE is enough */
#endif
  request[c]++
}

/* QueueEntry.restart. */
inline restart(c) {
  if
  :: wishes[c] == 0 || request[c] == LAST_ID(c) ->
    if
    :: doubtful[c] -> add_to(leftover, request[c])
    :: else
    fi;
#ifdef TIMELY
    assert(wishes[c] == 0);
#endif
    finish(c, DONE)
  :: else -> new_request(c); phase[c] = IDLE
  fi
}

/* An owner that runs writes to the resource. It may be paused before the write goes out. */
inline begin_write(c) {
#ifdef RESOURCE
  if
  :: phase[c] == HOLDING && write[c] == 0 -> write[c] = tenure[c]
  :: else
  fi
#else
  skip
#endif
}

/* Asking.take and Holding.begin: a hold that lasts at least as long from a moment that is some ticks ago. */
inline believe(c, lasts, ago, which) {
  if
  :: phase[c] == IDLE || phase[c] == WAITING || phase[c] == RELEASING -> renewals[c] = RENEWALS
  :: else
  fi;
  trust[c] = (lasts > ago -> lasts - ago : 0);
  tenure[c] = which;
  since[c] = 0; spent[c] = 0;
  phase[c] = (trust[c] > 0 -> HOLDING : CONFIRMING);
  begin_write(c);
  printf("client %d believes %d for %d ticks\n", c, which, trust[c]);
  check_exclusion
}

#ifdef BELIEVE_FROM_ANSWER
#define ago_of(moment) 0
#else
#define ago_of(moment) (moment)
#endif
#ifdef BELIEVE_LATE_MESSAGE
#define ago_of_message(moment) 0
#else
#define ago_of_message(moment) (moment)
#endif
#ifdef BELIEVE_ANY_MESSAGE
#define is_news(c, t) true
#else
#define is_news(c, t) (token(t) > spent[c])
#endif

#define expects(c) (phase[c] == WAITING || phase[c] == RELEASING || (phase[c] == IDLE && asks(c)))

/* Asking.handedOver, and EngineMessages.granted for a request that it does not know. */
inline hear(c, t) {
  printf("client %d hears of grant %d to request %d\n", c, t, granted[t]);
  if
  :: phase[c] == DEAD
  :: phase[c] != DEAD && (granted[t] != request[c] || phase[c] == LEAVING) ->
    add_to(leftover, granted[t])
  :: else ->
    if
    :: expects(c) && is_news(c, t) ->
      abandon(c);
      believe(c, FIRST, ago_of_message(since[c]), t)
    :: else
    fi
  fi
}

inline waits(c) {
  phase[c] = WAITING; since[c] = (asked[c] < FIRST -> asked[c] : FIRST); spent[c] = token(answer[c].turn)
}

/* Holding.lose, and Holding.use if the hold could not be confirmed. */
inline lose(c) {
  printf("client %d loses request %d\n", c, request[c]);
  add_to(leftover, request[c]);
  if
  :: phase[c] == HOLDING -> wishes[c]--
  :: else
  fi;
  doubtful[c] = false;
  restart(c)
}

/* Asking.replied, Leaving.released, Holding.confirmed, and Upkeep.renewed. */
inline take_answer(c) {
  printf("client %d is answered %e, %d left, grant %d\n", c, answer[c].word, answer[c].left, answer[c].turn);
  if
  :: call[c].kind == RELEASE ->
    if
    :: phase[c] == RELEASING && answer[c].word == HOLDS ->
      believe(c, answer[c].left, ago_of(asked[c]), answer[c].turn)
    :: phase[c] == RELEASING && answer[c].word == WAITS -> waits(c)
    :: else -> restart(c)
    fi
  :: call[c].kind == RENEW ->
    if
    :: answer[c].word == HOLDS && answer[c].left > ago_of(asked[c]) ->
      if
      :: answer[c].left - ago_of(asked[c]) > trust[c] -> trust[c] = answer[c].left - ago_of(asked[c])
      :: else
      fi;
      if
      :: phase[c] == CONFIRMING -> phase[c] = HOLDING; begin_write(c)
      :: else
      fi;
      check_exclusion
    :: answer[c].word == HOLDS && answer[c].left <= ago_of(asked[c]) && phase[c] == HOLDING
    :: else -> lose(c)
    fi
  :: else ->
    if
    :: answer[c].word == HOLDS ->
      believe(c, answer[c].left, ago_of(asked[c]), answer[c].turn)
    :: answer[c].word == WAITS -> waits(c)
    :: else -> restart(c)
    fi
  fi;
  clear(call[c]);
  clear_answer(c)
}

/* Leaving.depart: with the next request, if another thread waits, in the same command. */
inline depart(c, again) {
  send(c, RELEASE);
  call[c].token = (tenure[c] > 0 -> token(tenure[c]) : 0);
  wishes[c]--;
  if
  :: again -> new_request(c); call[c].next = request[c]; phase[c] = RELEASING
  :: else ->
    if
    :: doubtful[c] -> add_to(leftover, request[c])
    :: else
    fi;
    doubtful[c] = false;
    since[c] = 0; spent[c] = 0; trust[c] = 0; tenure[c] = 0; renewals[c] = 0;
    phase[c] = LEAVING
  fi
}

/* Asking.failed, Leaving.failed and Upkeep.failed: no answer is not no. */
inline fail(c) {
  printf("client %d gets no answer\n", c);
  if
  :: call[c].kind == RELEASE ->
    add_to(leftover, call[c].id);
    doubtful[c] = (call[c].next > 0);
    give_up_call(c);
    restart(c)
  :: call[c].kind == RENEW -> give_up_call(c)
  :: else -> doubtful[c] = true; give_up_call(c)
  fi
}

/* Whether a client has a reason to ask again: nothing came of its latest question for a tick. */
#ifdef NO_ASK
#define asks_again(c) false
#else
#define asks_again(c) (phase[c] == WAITING && since[c] > 0)
#endif

proctype Client(byte c) {
  do
  /* Its threads: ask, wait, use the resource, release. */
  :: atomic { phase[c] == IDLE && call[c].kind == 0 && begun >= c ->
      begun = (begun == c -> c + 1 : begun);
      since[c] = (doubtful[c] -> since[c] : 0);
      send(c, ACQUIRE) }
  :: atomic { asks_again(c) && call[c].kind == 0 -> send(c, AGAIN) }
  :: atomic { phase[c] == HOLDING && trust[c] > 0 && write[c] != tenure[c] && call[c].kind == 0 ->
      if
      :: wishes[c] > 1 && request[c] < LAST_ID(c) -> depart(c, true)
      :: depart(c, false)
      fi }
  :: atomic { faults > 0 && phase[c] == WAITING && call[c].kind == 0 ->
      faults--; depart(c, false) }
  /* Its watchdog: renew what it holds, notice what it lost. */
  :: atomic { phase[c] == CONFIRMING && call[c].kind == 0 -> send(c, RENEW) }
  :: atomic { phase[c] == HOLDING && trust[c] > 0 && renewals[c] > 0 && call[c].kind == 0 ->
      renewals[c]--; send(c, RENEW) }
  :: d_step { phase[c] == HOLDING && trust[c] == 0 -> abandon(c); lose(c) }
  /* The answer comes, or does not, or the client does not live to see it. */
  :: d_step { is_answered(c) -> take_answer(c) }
  :: d_step { faults > 0 && call[c].kind > 0 -> faults--; fail(c) }
  :: d_step { faults > 0 && begun > c && !is_gone(c) -> faults--; give_up_call(c); finish(c, DEAD) }
  :: is_gone(c) -> break
  od
}

#define CALL 100
#define GHOST 101
#ifdef TIMELY
/* Not before the second time, so that it is not done again and again and nothing else. */
#define is_due(c, r) (ghost[c].id != (r) || ghost[c].valid == 0)
#else
#define is_due(c, r) true
#endif
#define is_left(c, r) (some_of(leftover, r) && is_due(c, r))
#define errand(r) (r) <= IDS && is_left(c, FIRST_ID(c) + (r) - 1) -> n = FIRST_ID(c) + (r) - 1

/* One command of a client runs in Redis. */
inline deliver(c, which) {
  if
  :: which == CALL -> copy(call[c], once)
  :: which == GHOST -> copy(ghost[c], once)
  :: else -> clear(once); once.kind = RELEASE; once.id = which
  fi;
  faults = (once.ran -> faults - 1 : faults);
  had = has(once.id);
  reach(once, nowhere);
  if
  :: which == CALL ->
    call[c].ran = true;
    answer[c].word = nowhere.word; answer[c].left = nowhere.left; answer[c].turn = nowhere.turn;
    /* Nobody is told that a hold was lost which it released, unless a later one was. */
    assert(once.kind != RELEASE || nowhere.released || !some_of(over, once.id) || once.token <= lost)
  :: which == GHOST ->
    /* Nothing begins for a request that was given up after its deadline. */
    assert(had || once.valid > 0 || !has(once.id) || once.kind == RELEASE);
    clear(ghost[c])
  :: else ->
    /* Released now, and once more after the time in which a ghost could still run. */
    if
    :: ghost[c].id == which && ghost[c].valid > 0
    :: else -> take_from(leftover, which)
    fi
  fi
}

/* The way of a client's commands to Redis, and of its writes to the resource. */
proctype Connection(byte c) {
  byte n;
end:
  do
  :: atomic {
      if
      /* If it ran already: the driver did not get the answer, and sends the command again. */
      :: call[c].kind > 0 && (!call[c].ran || faults > 0) -> n = CALL
      :: ghost[c].kind > 0 && (!ghost[c].ran || faults > 0) -> n = GHOST
      /* PendingReleases. */
      :: errand(1) :: errand(2) :: errand(3) :: errand(4) :: errand(5) :: errand(6)
      fi;
      d_step { deliver(c, n); n = 0 } }
  :: d_step { ghost[c].kind > 0 -> clear(ghost[c]) }
#ifdef RESOURCE
  :: d_step { write[c] > 0 ->
      if
#ifndef NO_FENCE
      :: token(write[c]) < seen
#endif
      :: else ->
        /* Who got the lock earlier never writes after one who got it later. */
        assert(write[c] >= seen_turn);
        seen = token(write[c]); seen_turn = write[c]
      fi;
      write[c] = 0 }
#endif
  od
}

#define message(t) granted[t] > 0 -> n = t

/* What becomes of messages, and of data. */
proctype Network() {
  byte n;
  bool stays;
end:
  do
  :: atomic {
      if
      :: message(1) :: message(2) :: message(3) :: message(4) :: message(5) :: message(6)
      :: message(7) :: message(8) :: message(9) :: message(10) :: message(11) :: message(12)
      fi;
      if
      :: stays = false
      /* It will come again. */
      :: faults > 0 -> faults--; stays = true
      fi;
      d_step {
        hear(client_of(granted[n]), n);
        granted[n] = (stays -> granted[n] : 0);
        n = 0; stays = false } }
  :: atomic {
      if
      :: message(1) :: message(2) :: message(3) :: message(4) :: message(5) :: message(6)
      :: message(7) :: message(8) :: message(9) :: message(10) :: message(11) :: message(12)
      fi;
      granted[n] = 0; n = 0 }
#ifdef DATA_LOSS
  /* Redis starts again, empty. */
  :: d_step { faults > 0 ->
      faults--;
      hold = 0; left = 0; freed = false; last = 0; lost = turn; released = 0;
      for (k : 1 .. REQUESTS) { place[k] = 0; before[k] = 0; queue[k - 1] = 0 }
      waiting = 0; k = 0 }
#endif
  od
}

/* -- Time ------------------------------------------------------------------------------------ */

#define may_hold(c) (phase[c] == WAITING || phase[c] == RELEASING \
  || (phase[c] == IDLE && (doubtful[c] || asks(c))))
#define counts(c) (trust[c] > 0 || call[c].valid > 0 || ghost[c].valid > 0 \
  || (call[c].kind > 0 && asked[c] < LEASE) || (may_hold(c) && since[c] < FIRST))
/* A live client in good time: answers come, waiters ask, and owners renew before the next tick. */
#define in_a_hurry(c) (!is_gone(c) && (call[c].kind > 0 || asks_again(c) || phase[c] == CONFIRMING \
  || (phase[c] == HOLDING && trust[c] <= 1)))

inline count_down(number) {
  number = (number > 0 -> number - 1 : 0)
}

inline tick() {
  printf("tick\n");
  count_down(left);
  for (k : 1 .. REQUESTS) {
    if
#ifdef NO_ASK
    /* Its client says that it lives, and no more. */
    :: keeps_place(k) && phase[client_of(k)] == WAITING
#endif
    :: else ->
      if
      :: keeps_place(k) ->
        place[k]--;
        if
        :: !keeps_place(k) -> forget(k)
        :: else
        fi
      :: else
      fi
    fi
  }
  for (k : 0 .. CLIENTS - 1) {
    count_down(trust[k]);
    count_down(call[k].valid);
    count_down(ghost[k].valid);
    if
    :: call[k].kind > 0 && asked[k] < LEASE -> asked[k]++
    :: else
    fi;
    if
    :: may_hold(k) && since[k] < FIRST -> since[k]++
    :: else
    fi
  }
  k = 0
}

#define any_place (keeps_place(1) || keeps_place(2) || keeps_place(3) || keeps_place(4) \
  || keeps_place(5) || keeps_place(6) || keeps_place(7) || keeps_place(8) || keeps_place(9))

#ifdef TIMELY
#define may_tick (!any(in_a_hurry) || faults > 0)  /* a client that is late costs a fault */
#else
#define may_tick true
#endif

proctype Clock() {
end:
  do
  :: d_step { (is_held || any_place || any(counts)) && may_tick ->
#ifdef TIMELY
      faults = (any(in_a_hurry) -> faults - 1 : faults);
#endif
      tick() }
  od
}

init {
  byte c;
  atomic {
    for (c : 0 .. CLIENTS - 1) {
      phase[c] = IDLE; request[c] = FIRST_ID(c); wishes[c] = (c == 0 -> TENURES : OTHERS);
      run Client(c);
      run Connection(c)
    }
    c = 0;
    run Network();
    run Clock()
  }
}

#ifdef TIMELY
#define wants(c) (!is_gone(c))
ltl all_are_served { <> !any(wants) }
#endif
