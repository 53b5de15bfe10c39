/* The size of the model, its scenarios, and the rules of the protocol: all true, unless -DNAME=false leaves one out. */

/* ---- Size: how often the value may be leased, how often it may be claimed, whether processes die. */
#ifndef LEASES
#define LEASES 2
#endif
#ifndef GENERATIONS
#define GENERATIONS 2
#endif
#ifndef CRASHES
#define CRASHES true
#endif
/* ---- Scenarios, off unless named: callers without a ticket, void by holder and operator, a check-back probe. */
#ifndef BY_NUMBER
#define BY_NUMBER false
#endif
#ifndef VOIDS
#define VOIDS false
#endif
#ifndef PROBE
#define PROBE false
#endif
/* ---- Claims are renewed in place: many more states. */
#ifndef RENEWS
#define RENEWS false
#endif
/* ---- Count the steps after the storm: twice the states. */
#ifndef COUNTED
#define COUNTED false
#endif

/* ---- Rules: lease and hand-out. */
#ifndef CLOSE_BEFORE_SEAL            /* the cursor is closed before the seal is sent */
#define CLOSE_BEFORE_SEAL true
#endif
#ifndef CLOSED_STAYS_CLOSED          /* also when the outcome of the seal is unknown */
#define CLOSED_STAYS_CLOSED true
#endif
#ifndef SEAL_NEEDS_OPEN              /* a seal works on a batch that is still OPEN, nothing else */
#define SEAL_NEEDS_OPEN true
#endif
#ifndef LOST_ANSWER_DROPPED          /* an answer that comes after its id was declared lost is dropped */
#define LOST_ANSWER_DROPPED true
#endif
#ifndef LEASE_FOUND_BY_ID            /* a lost lease is looked up by its id, not as "mine, but I don't remember it" */
#define LEASE_FOUND_BY_ID true
#endif
#ifndef CLAIM_FOUND_BY_ID            /* the same for a lost claim */
#define CLAIM_FOUND_BY_ID true
#endif
#ifndef LEASE_LOOKED_UP              /* lost leases are looked up at all */
#define LEASE_LOOKED_UP true
#endif
#ifndef LEASE_COUNTED_EARLY          /* an instance counts its lease from before it asked, less a margin */
#define LEASE_COUNTED_EARLY true
#endif
#ifndef REAPED_IS_FINAL              /* a reaped id never renews */
#define REAPED_IS_FINAL true
#endif
#ifndef NEW_ID_NEW_MEMORY            /* who goes on under a new id drops cursors and queues */
#define NEW_ID_NEW_MEMORY true
#endif
#ifndef REAP_IN_ONE                  /* the reaper looks at the lease and seals in one transaction */
#define REAP_IN_ONE true
#endif
#ifndef REAP_AGAIN                   /* what commits after a reap is reaped again */
#define REAP_AGAIN true
#endif
#ifndef LEASE_CHECKED_LAST           /* take, then check the own lease, then answer */
#define LEASE_CHECKED_LAST true
#endif
#ifndef AGE_CHECKED                  /* and check how long ago the number was taken */
#define AGE_CHECKED true
#endif
#ifndef AGE_FROM_CLAIM               /* a recycled number's age counts from its claim, not from its take */
#define AGE_FROM_CLAIM true
#endif
/* ---- Rules: settling. */
#ifndef ANSWER_AFTER_COMMIT          /* a confirm is answered after its commit */
#define ANSWER_AFTER_COMMIT true
#endif
#ifndef BITS_DISJOINT                /* a bit is set only where the other one is clear, in the same statement */
#define BITS_DISJOINT true
#endif
#ifndef ROW_NEVER_UPSERTED           /* an abandon inserts its row or leaves the one that is there alone */
#define ROW_NEVER_UPSERTED true
#endif
#ifndef ROW_FROM_OWN_BIT             /* rows come from bits that this very statement turned on, not from an earlier read */
#define ROW_FROM_OWN_BIT true
#endif
#ifndef TICKET_HAS_GENERATION        /* a REPLAYED number is settled by its own generation only */
#define TICKET_HAS_GENERATION true
#endif
#ifndef RESCUE_AFTER_TIMEOUT_ONLY    /* a late confirm does not undo an explicit abandon */
#define RESCUE_AFTER_TIMEOUT_ONLY true
#endif
#ifndef RESCUE_NEEDS_HOLDER          /* a late confirm comes from the last one who really got the number */
#define RESCUE_NEEDS_HOLDER true
#endif
#ifndef HOLDER_OUTLIVES_GIVE_BACK    /* a generation that went back unused does not take the rescue from the holder */
#define HOLDER_OUTLIVES_GIVE_BACK true
#endif
#ifndef ABANDON_AFTER_TIMEOUT_COUNTS /* an explicit abandon after a timeout makes it explicit */
#define ABANDON_AFTER_TIMEOUT_COUNTS true
#endif
#ifndef CLAIM_KEEPS_REASON           /* a claim leaves the reason of the abandon alone */
#define CLAIM_KEEPS_REASON true
#endif
#ifndef NUMBER_MEANS_FIRST_ISSUE     /* without a ticket: generation 0 only */
#define NUMBER_MEANS_FIRST_ISSUE true
#endif
#ifndef NUMBER_NEEDS_SEAL            /* without a ticket: only at or below issued_to of a sealed batch */
#define NUMBER_NEEDS_SEAL true
#endif
#ifndef VOID_SETS_BIT                /* VOID sets the abandoned bit as well */
#define VOID_SETS_BIT true
#endif
#ifndef VOID_NEEDS_SEAL              /* void by number: not while the batch is OPEN */
#define VOID_NEEDS_SEAL true
#endif
#ifndef VOID_NOT_REPLAYED            /* void by number: not while the number is REPLAYED */
#define VOID_NOT_REPLAYED true
#endif
/* ---- Rules: recycling. */
#ifndef WINDOW_KEPT                  /* released only when the window, a column in the database, is over */
#define WINDOW_KEPT true
#endif
#ifndef PROBE_AFTER_WINDOW           /* the probe is asked when the window is over, not before */
#define PROBE_AFTER_WINDOW true
#endif
#ifndef UNREACHABLE_IS_UNKNOWN       /* a probe that does not answer is not "unused" */
#define UNREACHABLE_IS_UNKNOWN true
#endif
#ifndef CLAIM_DECIDES                /* what was popped counts only after the guarded update */
#define CLAIM_DECIDES true
#endif
#ifndef CLAIM_FALLS_DUE              /* a claimed number has a due date from the start */
#define CLAIM_FALLS_DUE true
#endif
#ifndef GIVE_BACK_TAKES_OUT          /* taken out of the local queue first, then given back */
#define GIVE_BACK_TAKES_OUT true
#endif
#ifndef GIVE_BACK_NAMES_CLAIM        /* a give-back is guarded by the version of that very claim */
#define GIVE_BACK_NAMES_CLAIM true
#endif
#ifndef RENEWAL_TAKES_OUT            /* taken out of the local queue first, then claimed again */
#define RENEWAL_TAKES_OUT true
#endif
#ifndef RENEWAL_MOVES_DUE            /* a renewed claim, which counts as young, has a due date as young */
#define RENEWAL_MOVES_DUE true
#endif
#ifndef VERSION_RISES_GIVEN_BACK     /* version rises through a give-back too */
#define VERSION_RISES_GIVEN_BACK true
#endif
#ifndef VERSION_RISES_REDRIVEN       /* and through dead letter and redrive */
#define VERSION_RISES_REDRIVEN true
#endif
#ifndef REDRIVE_ASKS_AGAIN           /* a dead letter of the probe is redriven to the probe, not to the pool */
#define REDRIVE_ASKS_AGAIN true
#endif
#ifndef PUSHED_AGAIN                 /* what the pool lost is pushed again */
#define PUSHED_AGAIN true
#endif
