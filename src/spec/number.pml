/*
 * The life of one number: leased, handed out, settled, expired, rested, pooled, claimed, given back, reaped.
 *
 * One value is followed through every order in which the statements of two instances, of the callers who hold it, and of
 * the recycling passes can commit. A step is one committed statement or one atomic step in memory. Between two steps
 * anything may happen: a process dies or sleeps, a lease runs out, an answer is lost, a statement commits after its sender
 * is gone, a call or a statement is repeated, the pool forgets entries or keeps copies of them.
 *
 * Each rule of the protocol is a name in rules.pml, true in the protocol as it is. `check` turns them off one by one
 * (-DNAME=false); every time one of the guarantees must break, or the rule would not be needed.
 *
 * Guarantees, each an assertion by its name:
 *   once           nobody gets a (number, generation) that another one got; at most one generation is ever confirmed
 *   durable        what was answered as confirmed or abandoned stays so
 *   final          CONFIRMED and VOID are never handed out
 *   nothing_lost   the number is always in exactly one place, and its fate is told in one way
 *   nothing_early  a number that somebody got is handed out again only after a whole window
 *   silent_use     a number whose holder used it and did not say so is not handed out, where there is a probe
 *   right_holder   a call settles nothing in another holder's name
 *   rescue         a late confirm is not refused while nobody else can have got the number
 *   settles        when the storm is over, the passes alone bring the number to rest, in a bounded number of steps
 */

#include "rules.pml"

/* ---- The database. */
#define OPEN 1        /* batch.status; LEFT: sealed below the value, which was returned and is no longer of this batch */
#define SEALED 2
#define LEFT 3

#define NO_ROW 0      /* issue_log.status */
#define CONFIRMED 2
#define ABANDONED 3
#define REPLAYABLE 4
#define REPLAYED 5
#define RETIRED 6
#define VOID 7
#define DEAD 8

#define NOBODY 7

typedef Batch { byte status; byte owner; bit confirmed; bit abandoned }
typedef Row { byte status; byte generation; byte holder; byte version; byte owner; bit explicit; bit rested; bit cleared }

Batch batch[LEASES];
Row row;
byte leases;          /* batches leased so far */
byte renewals;        /* claims renewed so far */
bit fresh = 1;        /* the counter has not passed the value */
byte returned;        /* returned ranges that hold the value */
bit reaped[4];        /* table instance, by instance id */
bit redriven;

/* ---- The pool. An entry is (row, version); copies of it may be anywhere, so only the current version's is of interest. */
bit offered;          /* an entry of the current version was pushed: it may be popped, also from a copy */
bit inPool;           /* the pool still has it */

/* ---- Memory of an instance. Batches are stored as index + 1, claims as the version that they wrote. 0: none. */
typedef Memory {
    bit up;
    bit valid;        /* believes in its lease, on its own clock */
    bit life;         /* goes on under its second id */
    byte arriving;    /* a lease answer under way */
    byte lostLease;   /* declared lost, to be looked up */
    byte cursor;      /* the cursor of this batch stands before the value */
    byte passed;      /* the cursor of this batch is past the value */
    byte sealing;     /* a seal under way: it survives the process */
    bit sealPast;     /* ... and says that the value was handed out */
    bit out[4];       /* generation taken, answer not yet sent */
    byte outBatch;    /* the batch that the ticket of generation 0 names */
    byte claimed;     /* a claim's answer under way */
    byte claimedGen;
    byte lostClaim;
    byte queued;      /* claimed, in the local queue */
    byte queuedGen;
    byte renewing;    /* a renewal of this claim under way: it survives the process */
    bit awaited;      /* ... and its answer is waited for */
    bit renewed;      /* what is queued was renewed */
    byte back;        /* a give-back under way: it survives the process and may be repeated */
    bit doomed        /* a reaper saw the lease end and has not sealed yet (only without REAP_IN_ONE) */
}
Memory inst[2];

/* ---- What really happened; no code sees this. */
byte given;           /* bit g: somebody got the number in generation g */
byte confirmed;       /* bit g: generation g was told "confirmed" */
byte abandoned;       /* bit g: generation g was told "abandoned" */
byte used;            /* bit g: generation g's business record was committed, without a word to us */
bit rested;           /* a whole window has passed since somebody last got it */
byte ticketBatch;     /* the batch named by the ticket of generation 0 */
byte stale;           /* a batch that the expire pass read a while ago (only without ROW_FROM_OWN_BIT) */
bit calm;             /* the storm is over */
byte effort;          /* steps since then */

/* A broken guarantee is reported by its name: none of these is ever set. */
bit once, durable, final, nothing_lost, nothing_early, silent_use, right_holder, rescue, settles;

inline Must(condition, guarantee) {
    if
    :: condition
    :: else -> assert(guarantee)
    fi
}

#define BIT(set, g) (((set) >> (g)) & 1)
#define ID(me) ((me) + 2 * inst[me].life)
#define NOW (leases - 1)                     /* the batch that has, or last had, the value */
#define HELD(b) (batch[b].status == OPEN || batch[b].status == SEALED)
#define UNSETTLED(b) (!batch[b].confirmed && !batch[b].abandoned)
#define OPEN_IN(b, id) (batch[b].status == OPEN && batch[b].owner == (id))
#if LEASES > 1
#define HELD_SOMEWHERE HELD(0) + HELD(1)
#define OPEN_OF(id) (OPEN_IN(0, id) || OPEN_IN(1, id))
#else
#define HELD_SOMEWHERE HELD(0)
#define OPEN_OF(id) OPEN_IN(0, id)
#endif

inline Whole() {      /* holds after every statement */
    Must(fresh + returned + HELD_SOMEWHERE == 1, nothing_lost);
    Must(row.status == NO_ROW || (!fresh && !returned), nothing_lost);
    Must(leases == 0 || !(batch[NOW].confirmed && batch[NOW].abandoned), nothing_lost);
    Must(leases == 0 || (row.status != NO_ROW) == batch[NOW].abandoned, nothing_lost);
    Must(confirmed == 0 || (row.status == CONFIRMED && confirmed == 1 << row.holder) ||
        (row.status == NO_ROW && confirmed == 1 && HELD(NOW) && batch[NOW].confirmed), durable);
    if
    :: calm && COUNTED -> effort++; Must(effort <= 12, settles)
    :: else
    fi
}

inline TellConfirmed(g) {
    Must((confirmed & ~(1 << g)) == 0, once);
    Must(!BIT(abandoned, g), durable);
    confirmed = confirmed | (1 << g)
}

inline TellAbandoned(g) {
    Must(!BIT(confirmed, g), durable);
    abandoned = abandoned | (1 << g)
}

inline HandOut(me, g) {
    printf("instance %d: answers with the number, generation %d\n", me, g);
    Must(!BIT(given, g), once);
    Must(confirmed == 0 && row.status != VOID, final);
    Must(given == 0 || rested, nothing_early);
    Must((used & ~abandoned) == 0, silent_use);
    if
    :: g == 0 -> ticketBatch = inst[me].outBatch
    :: else
    fi;
    given = given | (1 << g);
    inst[me].out[g] = 0; inst[me].outBatch = (inst[me].out[0] -> inst[me].outBatch : 0);
    rested = 0
}

inline Forget(me) {   /* memory goes; statements under way do not */
    inst[me].arriving = 0; inst[me].lostLease = 0; inst[me].cursor = 0; inst[me].passed = 0;
    inst[me].out[0] = 0; inst[me].out[1] = 0; inst[me].out[2] = 0; inst[me].out[3] = 0; inst[me].outBatch = 0;
    inst[me].claimed = 0; inst[me].claimedGen = 0; inst[me].lostClaim = 0; inst[me].queued = 0; inst[me].queuedGen = 0;
    inst[me].awaited = 0; inst[me].renewed = 0
}

/* ---- Batches. */
inline SealOrReturn(b, past) {
    if
    :: past || !UNSETTLED(b) -> batch[b].status = SEALED
    :: else -> batch[b].status = LEFT; returned++
    fi
}

/* A seal as the instance sends it: the value was handed out, or it is returned, unless it has a fate already. */
#define SEALABLE(me) (batch[inst[me].sealing - 1].status == OPEN || !SEAL_NEEDS_OPEN)

inline Seal(me) {
    if
    :: SEALABLE(me) -> SealOrReturn(inst[me].sealing - 1, inst[me].sealPast)
    :: else
    fi
}

inline Reap(id) {     /* whatever was handed out or not: all of it counts as issued */
    printf("reaper: seals what instance id %d left open\n", id);
    reaped[id] = 1;
    if
    :: OPEN_IN(0, id) -> batch[0].status = SEALED
    :: else
    fi;
#if LEASES > 1
    if
    :: OPEN_IN(1, id) -> batch[1].status = SEALED
    :: else
    fi;
#endif
    Whole()
}

/* ---- The row. Each transition raises the version, and a new version has no entry in the pool yet. A give-back that is
   under way names an older version and will never match again: forget it, except where a missing rule makes it match. */
#define NEVER_MATCHES (VERSION_RISES_GIVEN_BACK && VERSION_RISES_REDRIVEN && GIVE_BACK_NAMES_CLAIM)

inline Become(next) {
    row.status = next;
    row.owner = NOBODY;
    row.version++;
    inst[0].back = (NEVER_MATCHES -> 0 : inst[0].back);
    inst[1].back = (NEVER_MATCHES -> 0 : inst[1].back);
    offered = (CLAIM_DECIDES -> 0 : offered);                               /* without the claim a stale entry is as good */
    inPool = 0
}

inline Abandon(why) {
    Become(ABANDONED);
    row.explicit = why;
    row.rested = 0;
    row.cleared = 0
}

inline GoBack() {
    Become(REPLAYABLE);
    if
    :: !VERSION_RISES_GIVEN_BACK -> row.version = row.version - 2
    :: else
    fi
}

/* ---- Settling, each one statement. g: the generation that the ticket proves; b: the batch that it names. */
#define HOLDS_ROW(g) (row.holder == (g) || !RESCUE_NEEDS_HOLDER)
#define RESCUES(g) (HOLDER_OUTLIVES_GIVE_BACK -> HOLDS_ROW(g) : row.generation == (g))
#define COOLING (row.status == ABANDONED || row.status == REPLAYABLE)

inline ConfirmRow(g) {
    if
    :: row.status == REPLAYED && ((g > 0 && row.generation == g) || !TICKET_HAS_GENERATION) ->
        Become(CONFIRMED); row.holder = row.generation; TellConfirmed(g)
    :: COOLING && RESCUES(g) && (!row.explicit || !RESCUE_AFTER_TIMEOUT_ONLY) -> Become(CONFIRMED); TellConfirmed(g)
    :: row.status == CONFIRMED && row.holder == g -> TellConfirmed(g)
    :: else -> Must(!(COOLING && row.holder == g && !row.explicit), rescue)
    fi
}

inline Confirm(g, b) {
    if
    :: !ANSWER_AFTER_COMMIT && g == 0 && UNSETTLED(b) -> TellConfirmed(g)   /* and then the process died */
    :: g == 0 && HELD(b) && (!batch[b].abandoned || !BITS_DISJOINT) && ANSWER_AFTER_COMMIT -> batch[b].confirmed = 1; TellConfirmed(g)
    :: (g > 0 || (HELD(b) && batch[b].abandoned && BITS_DISJOINT)) -> ConfirmRow(g)
    :: else
    fi;
    Whole()
}

inline GiveUp(g, b) {
    if
    :: g == 0 && HELD(b) && UNSETTLED(b) -> batch[b].abandoned = 1; row.generation = 0; Abandon(1); TellAbandoned(g)
    :: !ROW_NEVER_UPSERTED && g == 0 && HELD(b) && batch[b].abandoned && row.status != CONFIRMED ->
        row.generation = 0; Abandon(1); TellAbandoned(g)
    :: row.status == REPLAYED && g > 0 && row.generation == g -> row.holder = g; Abandon(1); TellAbandoned(g)
    :: (COOLING || row.status == RETIRED || row.status == DEAD) && row.holder == g && (g > 0 || batch[b].abandoned) ->
        if
        :: ABANDON_AFTER_TIMEOUT_COUNTS -> row.explicit = 1
        :: else
        fi;
        TellAbandoned(g)
    :: else
    fi;
    Whole()
}

inline Void(g, b) {
    if
    :: g == 0 && HELD(b) && UNSETTLED(b) -> batch[b].abandoned = (VOID_SETS_BIT -> 1 : 0); row.generation = 0; Become(VOID)
    :: batch[b].abandoned && ((COOLING && row.holder == g) || (row.status == REPLAYED && row.generation == g)) -> Become(VOID)
    :: else
    fi;
    Whole()
}

/* ---- An instance that issues. */
#define OUT(me) (inst[me].out[0] || inst[me].out[1] || inst[me].out[2] || inst[me].out[3])
#define MAY_ANSWER(me, g) (!calm && inst[me].out[g] && (inst[me].valid || !LEASE_CHECKED_LAST))

inline DropAnswers(me) {
    inst[me].out[0] = 0; inst[me].out[1] = 0; inst[me].out[2] = 0; inst[me].out[3] = 0; inst[me].outBatch = 0
}

proctype Instance(byte me) {
end:
    do
    /* Lease. The statement may commit after its sender died or was reaped, but then nobody gets the answer. */
    :: d_step { !calm && (fresh || returned > 0) && leases < LEASES && !inst[me].arriving && !inst[me].lostLease ->
        printf("instance %d: leases a batch with the number (commit)\n", me);
        if
        :: fresh -> fresh = 0
        :: else -> returned--
        fi;
        batch[leases].status = OPEN; batch[leases].owner = ID(me); leases++;
        if
        :: inst[me].up -> inst[me].arriving = leases
        :: else
        fi;
        Whole() }
    :: d_step { inst[me].arriving && !inst[me].cursor && !inst[me].passed ->
        printf("instance %d: the lease arrives\n", me);
        inst[me].cursor = inst[me].arriving; inst[me].arriving = 0 }
    :: d_step { !calm && inst[me].arriving && !inst[me].lostLease ->
        printf("instance %d: gives the lease up for lost\n", me);
        inst[me].lostLease = inst[me].arriving;
        if
        :: LOST_ANSWER_DROPPED -> inst[me].arriving = 0
        :: else
        fi }
    :: d_step { inst[me].up && inst[me].lostLease && LEASE_LOOKED_UP ->
        printf("instance %d: looks the lost lease up and returns it (commit)\n", me);
        if
        :: batch[inst[me].lostLease - 1].status == OPEN -> SealOrReturn(inst[me].lostLease - 1, false)
        :: else
        fi;
        inst[me].lostLease = 0; Whole() }
    :: d_step { !LEASE_FOUND_BY_ID && inst[me].up && leases > 0 && OPEN_IN(NOW, ID(me)) &&
            inst[me].cursor != leases && inst[me].passed != leases && inst[me].sealing != leases ->
        printf("instance %d: returns a batch that it does not remember (commit)\n", me);
        SealOrReturn(NOW, false); Whole() }

    /* Take from the segment or from the queue of recycled numbers; then check; then answer, or drop it with a 503. */
    :: d_step { !calm && inst[me].cursor && !inst[me].out[0] ->
        printf("instance %d: takes the number from the segment\n", me);
        inst[me].out[0] = 1; inst[me].outBatch = inst[me].cursor - 1; inst[me].passed = inst[me].cursor; inst[me].cursor = 0 }
    :: d_step { !calm && inst[me].queued && !inst[me].out[inst[me].queuedGen] ->
        printf("instance %d: takes the number from the queue\n", me);
        inst[me].out[inst[me].queuedGen] = 1; inst[me].queued = 0; inst[me].queuedGen = 0 }
    :: d_step { MAY_ANSWER(me, 0) -> HandOut(me, 0) }
    :: d_step { MAY_ANSWER(me, 1) -> HandOut(me, 1) }
    :: d_step { MAY_ANSWER(me, 2) -> HandOut(me, 2) }
    :: d_step { MAY_ANSWER(me, 3) -> HandOut(me, 3) }
    :: d_step { !calm && OUT(me) -> printf("instance %d: answers 503\n", me); DropAnswers(me) }

    /* Seal: close the cursor, then send the statement, again and again until its outcome is known. */
    :: d_step { !inst[me].sealing && (inst[me].cursor || inst[me].passed) ->
        printf("instance %d: closes the cursor\n", me);
        inst[me].sealPast = (inst[me].passed != 0);
        inst[me].sealing = (inst[me].cursor -> inst[me].cursor : inst[me].passed);
        if
        :: CLOSE_BEFORE_SEAL || calm -> inst[me].cursor = 0; inst[me].passed = 0
        :: else
        fi }
    :: d_step { inst[me].sealing ->
        printf("instance %d: seals the batch (commit)\n", me);
        Seal(me); inst[me].sealing = 0; inst[me].sealPast = 0; Whole() }
    :: d_step { !calm && inst[me].sealing && SEALABLE(me) ->
        printf("instance %d: seals the batch (commit), and does not hear of it\n", me);
        Seal(me); Whole() }
    :: d_step { !calm && !CLOSED_STAYS_CLOSED && inst[me].up && inst[me].sealing && !inst[me].sealPast &&
            !inst[me].cursor && !inst[me].passed ->
        printf("instance %d: opens the cursor again\n", me);
        inst[me].cursor = inst[me].sealing }

    /* Claim what was popped: one guarded update. Its answer may be lost, or may come late. */
    :: d_step { !calm && offered && (row.status == REPLAYABLE || (!CLAIM_DECIDES && row.status != REPLAYED)) &&
            row.generation < GENERATIONS && !inst[me].claimed && !inst[me].lostClaim && !inst[me].queued ->
        printf("instance %d: pops and claims the number (commit)\n", me);
        Become(REPLAYED); row.generation++; row.owner = me;
        if
        :: CLAIM_KEEPS_REASON -> skip
        :: else -> row.explicit = 0
        fi;
        if
        :: inst[me].up -> inst[me].claimed = row.version; inst[me].claimedGen = row.generation; inst[me].renewed = 0
        :: else
        fi;
        Whole() }
    :: d_step { inst[me].claimed && !inst[me].queued ->
        printf("instance %d: the claim arrives\n", me);
        inst[me].queued = inst[me].claimed; inst[me].queuedGen = inst[me].claimedGen;
        inst[me].claimed = 0; inst[me].claimedGen = 0 }
    :: d_step { !calm && inst[me].claimed && !inst[me].lostClaim ->
        printf("instance %d: gives the claim up for lost\n", me);
        inst[me].lostClaim = inst[me].claimed;
        if
        :: LOST_ANSWER_DROPPED -> inst[me].claimed = 0; inst[me].claimedGen = 0
        :: else
        fi }
    :: d_step { inst[me].up && inst[me].lostClaim ->
        printf("instance %d: looks the lost claim up and gives it back (commit)\n", me);
        if
        :: row.status == REPLAYED && row.owner == me && row.version == inst[me].lostClaim -> GoBack()
        :: else
        fi;
        inst[me].lostClaim = 0; Whole() }
    :: d_step { !CLAIM_FOUND_BY_ID && inst[me].up && row.status == REPLAYED && row.owner == me && !inst[me].queued &&
            !inst[me].out[row.generation] ->
        printf("instance %d: gives back a claim that it does not remember (commit)\n", me);
        GoBack(); Whole() }

    /* Renew a claim that is getting old: taken out of the queue, claimed again in place, and queued again. The generation, which
       nobody was shown, stays. */
    :: d_step { RENEWS && !calm && inst[me].queued && !inst[me].renewing && renewals < 2 ->
        printf("instance %d: wants to renew its claim\n", me);
        inst[me].renewing = inst[me].queued; inst[me].awaited = 1; renewals++;
        if
        :: RENEWAL_TAKES_OUT -> inst[me].queued = 0; inst[me].queuedGen = 0
        :: else
        fi }
    :: d_step { inst[me].renewing && !inst[me].claimed && row.status == REPLAYED && row.owner == me && row.version == inst[me].renewing ->
        printf("instance %d: renews its claim (commit)\n", me);
        row.version++;
        if
        :: inst[me].awaited -> inst[me].claimed = row.version; inst[me].claimedGen = row.generation; inst[me].renewed = 1
        :: else
        fi;
        inst[me].renewing = 0; inst[me].awaited = 0; Whole() }
    :: d_step { inst[me].renewing && !(row.status == REPLAYED && row.owner == me && row.version == inst[me].renewing) ->
        printf("instance %d: finds nothing to renew\n", me);
        inst[me].renewing = 0; inst[me].awaited = 0 }
    :: d_step { !calm && inst[me].awaited && !inst[me].lostClaim ->
        printf("instance %d: gives the renewal up for lost\n", me);
        inst[me].awaited = 0; inst[me].lostClaim = inst[me].renewing + 1; inst[me].back = inst[me].renewing }

    /* Give back what was not handed out. The statement may be repeated and may come late. */
    :: d_step { inst[me].queued && inst[me].back != inst[me].queued ->
        printf("instance %d: wants to give the number back\n", me);
        inst[me].back = inst[me].queued;
        if
        :: GIVE_BACK_TAKES_OUT -> inst[me].queued = 0; inst[me].queuedGen = 0
        :: else
        fi }
    :: d_step { inst[me].back && row.status == REPLAYED && row.owner == me &&
            (row.version == inst[me].back || !GIVE_BACK_NAMES_CLAIM) ->
        printf("instance %d: gives the number back (commit)\n", me);
        GoBack(); Whole() }

    /* The instance's own lease, its death, and its second life under a new id. That one of the two dies is enough. */
    :: d_step { !calm && inst[me].valid -> printf("instance %d: its lease runs out\n", me); inst[me].valid = 0 }
    :: d_step { !calm && inst[me].up && !inst[me].valid && (!reaped[ID(me)] || !REAPED_IS_FINAL) ->
        printf("instance %d: renews its lease\n", me);
        inst[me].valid = 1; reaped[ID(me)] = 0 }
    :: d_step { !calm && CRASHES && me == 0 && inst[me].up ->
        printf("instance %d: dies\n", me);
        inst[me].up = 0; inst[me].valid = 0; Forget(me) }
    :: d_step { !calm && CRASHES && me == 0 && !inst[me].life && (!inst[me].up || (!inst[me].valid && reaped[ID(me)])) ->
        printf("instance %d: goes on under a new id\n", me);
        if
        :: NEW_ID_NEW_MEMORY -> Forget(me)
        :: else
        fi;
        inst[me].up = 1; inst[me].life = 1; inst[me].valid = 1; inst[me].doomed = 0 }

    /* Any other instance reaps this one's id when its lease is over, and its former id. */
    :: d_step { REAP_IN_ONE && (!inst[me].valid || !LEASE_COUNTED_EARLY) &&
            (!reaped[ID(me)] || (REAP_AGAIN && OPEN_OF(ID(me)))) -> Reap(ID(me)) }
    :: d_step { inst[me].life && (!reaped[me] || (REAP_AGAIN && OPEN_OF(me))) -> Reap(me) }
    :: d_step { !REAP_IN_ONE && !inst[me].valid && !inst[me].doomed && (!reaped[ID(me)] || OPEN_OF(ID(me))) ->
        printf("reaper: sees that the lease of instance %d is over\n", me);
        inst[me].doomed = 1 }
    :: d_step { inst[me].doomed -> inst[me].doomed = 0; Reap(ID(me)); reaped[ID(me)] = !inst[me].valid }
    od
}

/* ---- Whoever got the number in generation g: calls as often and as late as it likes. */
proctype Holder(byte g) {
    byte before, current;
end:
    do
    :: d_step { !calm && BIT(given, g) -> printf("holder %d: confirms\n", g); Confirm(g, ticketBatch) }
    :: d_step { !calm && BIT(given, g) && !BIT(used, g) -> printf("holder %d: abandons\n", g); GiveUp(g, ticketBatch) }
    :: d_step { VOIDS && !calm && BIT(given, g) && !BIT(abandoned, g) -> printf("holder %d: voids\n", g); Void(g, ticketBatch) }
    /* Uses the number and says nothing: at the latest within the window, that is what the window is for. */
    :: d_step { PROBE && !calm && BIT(given, g) && !BIT(used, g) && !BIT(abandoned, g) && !rested && (given >> g) == 1 ->
        printf("holder %d: uses the number and says nothing\n", g);
        used = used | (1 << g) }
    /* Names the number without a ticket. */
    :: d_step { BY_NUMBER && !calm && BIT(given, g) && batch[NOW].status == SEALED && row.generation == 0 ->
        printf("holder %d: confirms by number\n", g);
        before = confirmed;
        Confirm(0, NOW);
        Must(g == 0 || confirmed == before, right_holder);
        before = 0 }
    :: d_step { BY_NUMBER && !NUMBER_MEANS_FIRST_ISSUE && !calm && BIT(given, g) && row.status == REPLAYED ->
        printf("holder %d: confirms by number\n", g);
        before = confirmed; current = row.generation;
        ConfirmRow(current);
        Must(g == current || confirmed == before, right_holder);
        before = 0; current = 0 }
    od
}

/* ---- Callers who hold nothing: a mistyped number, and an operator. Neither meets an answer that is just leaving. */
#define LEAVING (OUT(0) || OUT(1))

proctype Stranger() {
end:
    do
    :: d_step { BY_NUMBER && !calm && leases > 0 && given == 0 && !LEAVING && row.status == NO_ROW &&
            (batch[NOW].status == SEALED || (batch[NOW].status == OPEN && !NUMBER_NEEDS_SEAL)) ->
        printf("stranger: confirms a mistyped number\n");
        Confirm(0, NOW) }
    :: d_step { VOIDS && !calm && leases > 0 && !LEAVING && !batch[NOW].confirmed &&
            row.status != CONFIRMED && row.status != VOID && row.status != DEAD &&
            (batch[NOW].status == SEALED || (batch[NOW].status == OPEN && !VOID_NEEDS_SEAL)) &&
            (row.status != REPLAYED || !VOID_NOT_REPLAYED) ->
        printf("operator: voids the number\n");
        batch[NOW].abandoned = 1; Become(VOID); Whole() }
    od
}

/* ---- The recycling passes. A due date is past when the pass finds it so: at any time after it was set. */
#define SETTLED (fresh || returned || \
    row.status == CONFIRMED || row.status == RETIRED || row.status == VOID || row.status == DEAD || \
    (row.status == REPLAYABLE && inPool) || (row.status == NO_ROW && batch[NOW].confirmed && batch[NOW].status == SEALED))

inline TooOld() {     /* by the time a due date is past, no answer can leave that was taken before the date was set */
    if
    :: AGE_CHECKED -> DropAnswers(0); DropAnswers(1)
    :: else
    fi
}

inline DropClaims(me) {
    if
    :: RENEWAL_MOVES_DUE || !inst[me].renewed ->
        inst[me].claimed = 0; inst[me].claimedGen = 0; inst[me].queued = 0; inst[me].queuedGen = 0; inst[me].awaited = 0
    :: else                                           /* it looks young, and its row is as old as the first claim */
    fi
}

proctype Recycler() {
    do
    /* Expire: bits of a sealed batch, then a claimed number. */
    :: d_step { ROW_FROM_OWN_BIT && leases > 0 && batch[NOW].status == SEALED && UNSETTLED(NOW) && row.status == NO_ROW ->
        printf("expire: the first holder's time is over (commit)\n");
        batch[NOW].abandoned = 1; row.generation = 0; Abandon(0); TooOld(); Whole() }
    :: d_step { !ROW_FROM_OWN_BIT && !stale && leases > 0 && batch[NOW].status == SEALED && UNSETTLED(NOW) ->
        printf("expire: reads that the first holder's time is over\n");
        stale = leases }
    :: d_step { stale ->
        printf("expire: writes what it read (commit)\n");
        if
        :: !batch[stale - 1].confirmed -> batch[stale - 1].abandoned = 1
        :: else
        fi;
        if
        :: row.status == NO_ROW -> Abandon(0)
        :: else
        fi;
        stale = 0; TooOld(); Whole() }
    :: d_step { CLAIM_FALLS_DUE && row.status == REPLAYED ->
        printf("expire: the next holder's time is over (commit)\n");
        row.holder = row.generation; Abandon(0); TooOld();
        if
        :: AGE_FROM_CLAIM -> DropClaims(0); DropClaims(1)
        :: else
        fi;
        Whole() }
    :: d_step { row.status == ABANDONED && !row.rested ->
        printf("clock: the window is over\n");
        row.rested = 1; rested = 1 }
    /* Ask the probe, then release; or retire. A probe that never answers ends as a dead letter. */
    :: d_step { !PROBE_AFTER_WINDOW && row.status == ABANDONED && !row.rested && !row.cleared && !BIT(used, row.holder) ->
        printf("probe: says unused\n");
        row.cleared = 1 }
    :: d_step { row.status == ABANDONED && (row.rested || !WINDOW_KEPT) && row.generation < GENERATIONS ->
        if
        :: PROBE && BIT(used, row.holder) && !row.explicit && !row.cleared ->
            printf("release: the probe says used (commit)\n");
            Become(CONFIRMED); confirmed = confirmed | (1 << row.holder)
        :: else ->
            printf("release: the number is replayable (commit)\n");
            row.cleared = 1; Become(REPLAYABLE)
        fi;
        Whole() }
    :: d_step { PROBE && row.status == ABANDONED && row.rested && !row.explicit ->
        printf("release: the probe never answers (commit)\n");
        if
        :: UNREACHABLE_IS_UNKNOWN -> Become(DEAD)
        :: else -> Become(REPLAYABLE)
        fi;
        Whole() }
    :: d_step { row.status == ABANDONED && row.rested -> printf("release: the number retires (commit)\n"); Become(RETIRED); Whole() }
    /* Push, and push again what the pool lost; dead letter; redrive. */
    :: d_step { row.status == REPLAYABLE && (!offered || (!inPool && PUSHED_AGAIN)) ->
        printf("push: the number is in the pool\n");
        offered = 1; inPool = 1 }
    :: d_step { !calm && inPool -> printf("pool: loses the entry\n"); inPool = 0 }
    :: d_step { !calm && row.status == REPLAYABLE && offered -> printf("push: dead letter (commit)\n"); Become(DEAD); Whole() }
    :: d_step { !calm && row.status == DEAD && !redriven ->
        printf("operator: redrives (commit)\n");
        redriven = 1;
        if
        :: PROBE && !row.explicit && !row.cleared && REDRIVE_ASKS_AGAIN -> Become(ABANDONED)
        :: else -> Become(REPLAYABLE)
        fi;
        if
        :: !VERSION_RISES_REDRIVEN -> row.version = 2
        :: else
        fi;
        Whole() }
    /* Callers and faults stop here, only the passes go on, and they have to come to an end. */
    :: d_step { !calm ->
        printf("the storm is over\n");
        calm = 1; given = 0; abandoned = 0; used = 0; rested = 0; ticketBatch = 0; redriven = 0;
        DropAnswers(0); DropAnswers(1) }
    :: d_step { calm && SETTLED -> skip }; break
    od
}

init {
    d_step {
        row.owner = NOBODY;
        inst[0].up = 1; inst[0].valid = 1;
        inst[1].up = 1; inst[1].valid = 1
    };
    atomic {
        run Instance(0); run Instance(1);
        run Holder(0); run Holder(1); run Holder(2); run Holder(3);
        run Stranger();
        run Recycler()
    }
}
