/*
 * Copyright 2026 the Holdfast authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */


/*
 * The hold of one owner that is tied to its sessions, and another client that looks after it: how
 * the hold of a dead owner ends before its lease, and why no owner believes in one that has ended.
 * README.md says which code each part stands for, and how to check it. A switch that README.md calls
 * a mutant breaks one rule.
 */

#ifndef GRACE                   /* ticks */
#define GRACE 1
#endif
#ifndef LEASE                   /* ticks */
#define LEASE 2
#endif
#ifndef SESSIONS                /* that the owner has, one after the other */
#define SESSIONS 2
#endif
#ifndef REQUESTS                /* of the owner, one after the other */
#define REQUESTS 1
#endif
#ifndef OTHERS                  /* how often the other client has the lock */
#define OTHERS 1
#endif
#ifndef FIRST                   /* ticks of a hold that somebody else's script granted */
#define FIRST LEASE
#endif
#ifndef GRANTS                  /* of the lock, to anybody */
#define GRANTS 3
#endif
#define VALID 1                 /* ticks in which a question may be carried out */
#define NONE 0                  /* no session, no command */

/* -- Redis ----------------------------------------------------------------------------------- */

#define NOBODY 0
#define OWNER 1
#define OTHER 2
byte holder;
byte id;                        /* of the owner's request that holds */
byte left;                      /* ticks of its lease */
byte tied;                      /* the session that its hold names */
byte doubt;                     /* 0: none. Else its age, plus 1 */
byte stamp;
byte place;                     /* the owner's request that waits */
byte placeTied;
bool listening[SESSIONS + 1];

/* -- The other client ------------------------------------------------------------------------ */

bool gone[SESSIONS + 1];        /* it has seen that, however long ago */
byte turns = OTHERS;

/* -- The owner ------------------------------------------------------------------------------- */

#define IDLE 0
#define ASKING 1
#define QUEUED 2
#define HELD 3
#define DEAD 4
byte stage;
byte request;
byte number;                    /* of the session that it subscribes to */
byte session;                   /* the one that scripts have seen: Context.session */
byte alive[SESSIONS + 1];       /* ticks since they were asked that saw it: Session.aliveNanos */
byte first, certain, maybe;     /* Tie */
byte heard;                     /* ticks since the latest command was sent that was answered */
byte trust;                     /* ticks for which it believes in the lease */
byte held;                      /* stamp of its hold */
byte spent;                     /* Queued.spent: a message with no later stamp is no news */
byte message;                   /* stamp that a message on the way tells */
byte messageLeft;
byte messageTo;                 /* a request */

#define ASK 1
#define RENEW 2
typedef Command {
  byte kind;
  byte id;
  byte names;                   /* a session */
  byte age;                     /* ticks since it was sent */
  bool ran;
  byte answer;                  /* stamp of the hold that it has found, or 0 */
  byte left;
  bool holds;                   /* it renews a hold, not a place */
  bool old;                     /* a message has overtaken its answer */
  byte spent                    /* if it was told to wait, then the latest stamp, plus 1; else 0 */
};
Command call;                   /* under way */
Command ghost;                  /* the owner waits for it no more; it may still run, also a second time */
byte asked;                     /* the session after which a script is to look */
byte askedAge;
bool askedRan, seen;

bool between;                   /* another has had the lock since its hold began */
byte deadFor;

#define least(a, b) ((a) < (b) -> (a) : (b))
#define most(a, b) ((a) > (b) -> (a) : (b))
#define tie (certain != NONE -> certain : maybe)
#ifdef PROOF_OF_ANY             /* mutant: any session that lives proves the hold */
#define proof least(alive[tie], alive[session])
#else
#define proof alive[tie]
#endif
#ifdef LEASE_ONLY               /* mutant: an owner believes in its lease, whatever its session */
#define sure true
#else
#define sure (tie == NONE || least(proof, heard) < GRACE)
#endif
#define believes (stage == HELD && trust > 0 && sure)

inline check() {
  assert(!believes || (holder == OWNER && id == request && stamp == held && !between));
#ifdef TIMELY
  assert(!(stage == DEAD && holder == OWNER && tied != NONE) || deadFor <= GRACE)
#endif
}

/* -- Scripts --------------------------------------------------------------------------------- */

#ifdef GRACE_TOO_SHORT          /* mutant: others wait for less than the owner's grace */
#define ENDS (GRACE - 1)
#elif defined(AT_FIRST_SIGHT)   /* mutant: a hold whose session is gone is over */
#define ENDS 0
#else
#define ENDS GRACE
#endif
#define is_over (holder == OWNER && (left == 0 || (tied != NONE && doubt > ENDS)))

inline drop_doubt() {
#ifndef DOUBT_STAYS             /* mutant: a command of the hold does not end a doubt */
  doubt = 0
#else
  skip
#endif
}

inline free() {
  holder = NOBODY; id = 0; left = 0; tied = NONE;
#ifndef DOUBT_OUTLIVES          /* mutant: a doubt outlives its hold */
  doubt = 0;
#endif
}

inline purge() {
  if
  :: is_over ->
#ifdef TIMELY
    assert(stage == DEAD || left == 0);
#endif
#ifdef PAUSES
    assert(!listening[tied] || left == 0);
#endif
    free()
  :: else
  fi
}

inline grant(r, its_session) {
  holder = OWNER; id = r; left = LEASE; tied = its_session; stamp++; place = 0; placeTied = NONE; deadFor = 0
}

/* Who waits gets a lock that nobody has, and is told. */
inline advance() {
  if
  :: holder == NOBODY && place != 0 && stamp < GRANTS ->
    grant(place, placeTied); left = FIRST; message = stamp; messageLeft = FIRST; messageTo = id
  :: else
  fi
}

inline execute(c) {
  purge(); advance();
  c.answer = 0; c.left = 0; c.spent = 0;
  if
  :: holder == OWNER && id == c.id ->
    drop_doubt();
    if
    :: c.kind == RENEW ->
      left = most(left, (c.holds -> LEASE : 1));
      if
#ifdef TIES_BACK                /* mutant: a renewal ties the hold to whatever session it names */
      :: c.names != NONE -> tied = c.names
#else
      :: c.names > tied -> tied = c.names
#endif
      :: else
      fi
    :: else
    fi
  :: place == c.id && c.id != 0 ->
    placeTied = most(placeTied, c.names)
  :: holder != OWNER && place == 0 && c.kind == ASK && c.age <= VALID && stamp < GRANTS ->
    if
    :: holder == NOBODY -> grant(c.id, c.names)
    :: else -> place = c.id; placeTied = c.names
    fi
  :: else
  fi;
  if
  :: holder == OWNER && id == c.id -> c.answer = stamp; c.left = left
  :: place == c.id && c.id != 0 -> c.spent = stamp + 1
  :: else
  fi
}

/* -- What the owner does --------------------------------------------------------------------- */

inline send(what, session_named) {
  call.kind = what; call.id = request; call.names = session_named; call.age = 0; call.ran = false;
  call.answer = 0; call.left = 0; call.spent = 0; call.old = false;
  call.holds = (stage == HELD)
}

/* Tie.next: a renewal names the present session if the hold is to be tied to that. */
inline renew() {
  if
  :: session != NONE && session != certain ->
    if
    :: certain == NONE && maybe == NONE -> maybe = session
    :: else
    fi;
#ifdef TIED_BEFORE_ANSWER       /* mutant: it counts as tied when that is sent */
    certain = session;
#endif
    send(RENEW, session)
  :: else -> send(RENEW, NONE)
  fi
}

/* Stage.begin; since when it may be believed is what heard says. */
inline begin(newStamp, ticks) {
  stage = HELD; held = newStamp; trust = ticks; spent = 0; between = false;
#ifdef TIE_ASSUMED              /* mutant: a hold is tied to the present session when it begins */
  certain = session
#else
  certain = first
#endif
}

inline lose() {
  stage = IDLE; trust = 0; held = 0; certain = NONE; maybe = NONE; first = NONE; heard = LEASE; spent = 0; between = false
}

inline hear(c) {
#ifdef FROM_ANSWER              /* mutant: what was heard counts from the answer */
  heard = 0;
#else
  heard = least(heard, c.age);
#endif
  trust = most(trust, (c.left > c.age -> c.left - c.age : 0));
  if
  :: c.kind == RENEW && c.names != NONE && c.names == session -> certain = session
  :: else
  fi
}

inline take_answer(c) {
  if
  :: stage == HELD && (trust == 0 || (c.answer == 0 && c.spent == 0 && !c.old)) -> lose()
#ifdef ANOTHER_HOLD             /* mutant: a later hold of the request is the one that it has had */
  :: stage == HELD && trust > 0 && c.answer > held -> held = c.answer; hear(c)
#else
  :: stage == HELD && trust > 0 && c.answer > held -> lose()
#endif
#ifdef EARLIER_HOLD             /* mutant: what was told of an earlier hold counts */
  :: stage == HELD && trust > 0 && c.answer != 0 && c.answer <= held -> hear(c)
#else
  :: stage == HELD && trust > 0 && c.answer != 0 && c.answer == held -> hear(c)
#endif
  :: (stage == ASKING || stage == QUEUED) && c.answer != 0 ->
    if
    :: c.left > c.age -> heard = c.age; begin(c.answer, c.left - c.age)
    :: else
    fi
  :: (stage == ASKING || stage == QUEUED) && c.spent != 0 -> stage = QUEUED; heard = c.age; spent = c.spent - 1
  :: (stage == ASKING || stage == QUEUED) && c.answer == 0 && c.spent == 0 -> lose()
  :: else
  fi
}

inline clear(c) {
  c.kind = NONE; c.id = 0; c.names = NONE; c.age = 0; c.ran = false; c.answer = 0; c.left = 0; c.spent = 0; c.old = false;
  c.holds = false
}

inline older(ticks, limit) {
  ticks = least(ticks + 1, limit)
}

/* What a client that nothing holds up has done before time goes on. */
#ifdef TIMELY
#define may_tick ((stage == DEAD || (call.kind == NONE && asked == NONE && \
  (number == 0 || listening[number]) && \
  (number == 0 || !listening[number] || session == number) && \
  (stage != HELD || session == NONE || certain == session) && (stage != HELD || heard == 0) && \
  (stage != ASKING && stage != QUEUED))) && \
  !(holder == OWNER && tied != NONE && !listening[tied] && doubt == 0) && !is_over)
#else
#define may_tick true
#endif

active proctype Lock() {
  byte n;
  d_step { heard = LEASE; for (n : 0 .. SESSIONS) { alive[n] = GRACE }; n = 0 }
  do
  /* The owner */
  :: d_step { stage == IDLE && call.kind == NONE && request < REQUESTS ->
      request++; stage = ASKING; first = session; certain = NONE; maybe = NONE; heard = 0; send(ASK, first) }
  :: d_step { stage == ASKING && call.kind == NONE -> send(ASK, first) }
  :: d_step { stage == QUEUED && call.kind == NONE -> renew() }
  :: d_step { stage == HELD && call.kind == NONE && (heard > 0 || certain != session) -> renew() }
  :: d_step { call.kind != NONE && call.ran && stage != DEAD -> take_answer(call); clear(call); check() }
#if !defined(TIMELY) && !defined(NO_GHOSTS)
  :: d_step { call.kind != NONE && ghost.kind == NONE ->
      ghost.kind = call.kind; ghost.id = call.id; ghost.names = call.names;
#ifdef LATE_ANSWERS
      ghost.age = call.age; ghost.ran = call.ran; ghost.answer = call.answer; ghost.left = call.left;
      ghost.spent = call.spent; ghost.old = call.old; ghost.holds = call.holds;
#else
      ghost.age = (call.kind == ASK -> least(call.age, VALID + 1) : 0); ghost.holds = call.holds;
#endif
      clear(call) }
#endif
#ifdef LATE_ANSWERS             /* a command that nobody waits for runs once, and its answer arrives */
  :: d_step { ghost.kind != NONE && ghost.ran && ghost.id == request && stage != DEAD ->
      take_answer(ghost); clear(ghost); check() }
#endif
  :: d_step { message != 0 && stage != DEAD ->
      if
      :: (stage == ASKING || stage == QUEUED) && messageTo == request &&
        messageLeft > heard && message > spent ->
        begin(message, messageLeft - heard); call.old = (call.kind != NONE); ghost.old = (ghost.kind != NONE);
#ifdef FROM_MESSAGE             /* mutant: what was heard counts from the message */
        heard = 0
#else
        skip
#endif
      :: else
      fi;
      message = 0; messageLeft = 0; messageTo = 0; check() }
#ifndef TIMELY
  :: d_step { message != 0 -> message = 0; messageLeft = 0; messageTo = 0 }
#endif
  :: d_step { stage == HELD && call.kind == NONE ->
      if
      :: holder == OWNER && id == request -> free(); advance()
      :: else
      fi;
      lose(); check() }
  :: d_step { stage != DEAD && number < SESSIONS && (number == 0 || !listening[number]) ->
#ifdef SAME_SESSION             /* mutant: what was gone comes back */
      number = 1;
#else
      number++;
#endif
      listening[number] = true }
  :: d_step { stage != DEAD && number != 0 && asked == NONE && (session != number || alive[number] > 0) ->
      asked = number; askedAge = 0; askedRan = false; seen = false }
  :: d_step { asked != NONE && !askedRan -> askedRan = true; seen = listening[asked] }
  :: d_step { asked != NONE && askedRan && stage != DEAD ->
      if
      :: asked == number && seen ->
        session = number;
#ifdef FROM_ANSWER
        alive[number] = 0
#else
        alive[number] = least(alive[number], askedAge)
#endif
      :: else -> session = NONE
      fi;
      asked = NONE; askedAge = 0; askedRan = false; seen = false; check() }
#ifdef TIMELY                   /* else it is as one that does nothing any more */
  :: d_step { stage != DEAD && number > 0 ->
      stage = DEAD; listening[number] = false; trust = 0; clear(call); asked = NONE; askedRan = false }
#endif

  /* Redis, and the way to it */
  :: d_step { call.kind != NONE && !call.ran -> execute(call); call.ran = true; check() }
#ifdef LATE_ANSWERS
  :: d_step { ghost.kind != NONE && !ghost.ran -> execute(ghost); ghost.ran = true; check() }
#else
  :: d_step { ghost.kind != NONE -> execute(ghost); check() }
#endif
  :: d_step { ghost.kind != NONE -> clear(ghost) }
#ifdef TIMELY
  :: d_step { number != 0 && listening[number] && number < SESSIONS -> listening[number] = false }
#else
  :: d_step { number != 0 && listening[number] -> listening[number] = false }
#endif

  /* The other client */
  :: d_step { tied != NONE && !listening[tied] && !gone[tied] -> gone[tied] = true }
#ifdef ANY_SERVER               /* mutant: another server is asked, to which nobody subscribes */
  :: d_step { number > 0 && !gone[1] -> gone[1] = true }
#endif
#ifdef ANY_SESSION              /* mutant: a session that is gone accuses any hold of its client */
  :: d_step { holder == OWNER && tied != NONE && doubt == 0 && (gone[1] || gone[SESSIONS]) -> doubt = 1 }
#elif defined(SILENCE)          /* mutant: an owner that says nothing is doubted */
  :: d_step { holder == OWNER && tied != NONE && doubt == 0 -> doubt = 1 }
#elif defined(RENEWED_DOUBT)    /* mutant: each look begins the doubt anew */
  :: d_step { holder == OWNER && tied != NONE && doubt != 1 && gone[tied] -> doubt = 1 }
#else
  :: d_step { holder == OWNER && tied != NONE && doubt == 0 && gone[tied] -> doubt = 1 }
#endif
  :: d_step { is_over -> purge(); advance(); check() }
  :: d_step { holder == NOBODY && turns > 0 && stamp < GRANTS -> holder = OTHER; turns--; stamp++; between = (stage == HELD) }
  :: d_step { holder == OTHER -> free(); advance(); check() }

  /* Time */
  :: d_step { may_tick ->
      left = (left > 0 -> left - 1 : 0); trust = (trust > 0 -> trust - 1 : 0);
      doubt = (doubt > 0 -> least(doubt + 1, GRACE + 1) : 0);
      older(heard, LEASE);
      if
      :: call.kind != NONE -> older(call.age, LEASE)
      :: else
      fi;
      if
#ifdef LATE_ANSWERS
      :: ghost.kind != NONE -> older(ghost.age, LEASE)
#else
      :: ghost.kind == ASK -> older(ghost.age, VALID + 1)
#endif
      :: else
      fi;
      if
      :: asked != NONE -> older(askedAge, GRACE)
      :: else
      fi;
      for (n : 1 .. SESSIONS) { older(alive[n], GRACE) }
      n = 0;
      if
      :: stage == DEAD -> older(deadFor, GRACE + 1)
      :: else
      fi;
      check() }
  od
}
