/*
 * chess - stands for crafty (SPEC CPU2000 186.crafty).
 *
 * A chess engine on 64-bit boards: bitboard move generation, alpha-beta with
 * iterative deepening, null moves and check extensions, a quiescence search
 * over captures that do not lose material by static exchange, killer and
 * history ordering, a transposition table larger than the caches, a hash of
 * pawn structures, and an evaluation of mobility, pawns, rooks and king
 * shelter. As in the original nearly every branch depends on the position at
 * hand, so they are hard to predict; 64-bit logic and table lookups dominate.
 * It plays on from openings made of random legal moves.
 *
 * Checked: the number of move sequences from three known positions
 * (perft), hash keys kept move by move against keys made anew, the evaluation
 * against that of the mirrored position, and alpha-beta with all its tables
 * against plain minimax.
 */
#include "chess_board.h"

enum { EXACT = 1, AT_LEAST, AT_MOST };
enum { MAX_PLY = 48, MATE = 30000, INFINITE = 32000, PAWN_SLOTS = 1024 };

struct slot {
	uint64_t key;
	uint32_t move;
	int16_t score;
	int8_t depth;
	uint8_t kind;
};

struct pawn_slot {
	uint64_t key;
	uint64_t passed;
	int score;
};

struct engine {
	struct slot *slot;
	uint64_t slot_mask;
	struct pawn_slot pawn[PAWN_SLOTS];
	uint32_t killer[MAX_PLY][2];
	int history[2][64 * 64];
	uint64_t nodes, node_limit;
	/* Nothing that could change the value of a minimax search; static leaves. */
	int exact;
	uint32_t best_move;
};

static uint64_t perft(const struct position *p, int depth)
{
	struct move_list list;
	uint64_t count = 0;

	generate(p, &list, 0);
	for (int i = 0; i < list.size; i++) {
		struct position after;

		if (try_move(p, list.move[i], &after))
			count += depth == 1 ? 1 : perft(&after, depth - 1);
	}
	return count;
}

/* What a capture wins if both sides keep recapturing with their least piece. */
static int static_exchange(const struct position *p, uint32_t m)
{
	int to = MOVE_TO(m), side = !p->turn, gain[32], depth = 0;
	int on_square = piece_value[MOVE_PIECE(m)];
	uint64_t occupied = (p->side[WHITE] | p->side[BLACK]) & ~BIT(MOVE_FROM(m));
	uint64_t attackers = attackers_to(p, to, occupied) & occupied;

	gain[0] = piece_value[MOVE_CAPTURED(m)];
	while (depth < 31) {
		uint64_t own = attackers & p->side[side], least = 0;
		int piece;

		for (piece = PAWN; piece < NONE; piece++)
			if ((least = own & p->piece[side][piece]))
				break;
		if (!least)
			break;
		depth++;
		gain[depth] = on_square - gain[depth - 1];
		on_square = piece_value[piece];
		occupied ^= least & -least;
		attackers = attackers_to(p, to, occupied) & occupied;
		side = !side;
	}
	for (; depth > 0; depth--)
		if (gain[depth] > -gain[depth - 1])
			gain[depth - 1] = -gain[depth];
	return gain[0];
}

static const struct pawn_slot *evaluate_pawns(struct engine *e, const struct position *p)
{
	struct pawn_slot *slot = &e->pawn[p->pawn_key % PAWN_SLOTS];

	if (slot->key == p->pawn_key)
		return slot;
	slot->key = p->pawn_key;
	slot->passed = 0;
	slot->score = 0;
	for (int side = 0; side < 2; side++) {
		uint64_t own = p->piece[side][PAWN], enemy = p->piece[!side][PAWN];
		int score = 0;

		for (uint64_t set = own; set;) {
			int s = pop_square(&set), file = s & 7;
			int rank = side == WHITE ? s >> 3 : 7 - (s >> 3);

			if (front_span[side][s] & own & (FILE_A << file))
				score -= 14;
			if (!(neighbour_files[file] & own))
				score -= 12;
			else if (pawn_reach[!side][s] & own)
				score += 6;
			if (!(front_span[side][s] & enemy)) {
				slot->passed |= BIT(s);
				score += 5 * rank * rank / 2;
			}
		}
		slot->score += side == WHITE ? score : -score;
	}
	return slot;
}

static int evaluate_king(const struct position *p, int side, uint64_t enemy_reach, int hits)
{
	int king = lowest_square(p->piece[side][KING]), file = king & 7, danger = 0;
	uint64_t zone = king_reach[king] | BIT(king);

	danger += 4 * hits * hits + 3 * count_squares(zone & enemy_reach);
	for (int f = file > 0 ? file - 1 : 0; f <= file + 1 && f < 8; f++)
		if (!(front_span[side][king] & p->piece[side][PAWN] & (FILE_A << f)))
			danger += p->piece[!side][PAWN] & (FILE_A << f) ? 10 : 18;
	return p->piece[!side][QUEEN] ? -danger : -danger / 4;
}

static int evaluate(struct engine *e, const struct position *p)
{
	static const int mobility_weight[6] = {0, 4, 4, 2, 1, 0};
	const struct pawn_slot *pawns = evaluate_pawns(e, p);
	uint64_t occupied = p->side[WHITE] | p->side[BLACK], reach[2] = {0, 0};
	int score[2] = {pawns->score, 0}, hits[2] = {0, 0};

	for (int side = 0; side < 2; side++) {
		uint64_t enemy_king = p->piece[!side][KING];
		uint64_t target = king_reach[lowest_square(enemy_king)] | enemy_king;
		int flip = side == WHITE ? 0 : 56;

		for (int piece = PAWN; piece <= KING; piece++)
			for (uint64_t set = p->piece[side][piece]; set;) {
				int s = pop_square(&set);
				uint64_t attacks;

				score[side] += square_bonus[piece][s ^ flip];
				if (piece == PAWN) {
					score[side] += piece_value[PAWN];
					reach[side] |= pawn_reach[side][s];
					if ((pawns->passed & BIT(s)) &&
					    (occupied & BIT(s + (side == WHITE ? 8 : -8))))
						score[side] -= 10;
					continue;
				}
				if (piece == KING)
					continue;
				attacks = piece_attacks(piece, s, occupied);
				reach[side] |= attacks;
				hits[side] += (attacks & target) != 0;
				score[side] += piece_value[piece] +
					       mobility_weight[piece] *
						       count_squares(attacks & ~p->side[side]);
				if (piece == ROOK && !(p->piece[side][PAWN] & FILE_A << (s & 7)))
					score[side] +=
						p->piece[!side][PAWN] & FILE_A << (s & 7) ? 10 : 22;
			}
		if (p->piece[side][BISHOP] & (p->piece[side][BISHOP] - 1))
			score[side] += 35;
	}
	score[WHITE] += evaluate_king(p, WHITE, reach[BLACK], hits[BLACK]);
	score[BLACK] += evaluate_king(p, BLACK, reach[WHITE], hits[WHITE]);
	return p->turn == WHITE ? score[WHITE] - score[BLACK] : score[BLACK] - score[WHITE];
}

static void score_moves(const struct engine *e, const struct position *p, struct move_list *list,
			uint32_t hash_move, int ply)
{
	for (int i = 0; i < list->size; i++) {
		uint32_t m = list->move[i];
		int captured = MOVE_CAPTURED(m);

		if (m == hash_move)
			list->score[i] = 1 << 24;
		else if (captured != NONE || MOVE_PROMOTION(m) != NONE)
			list->score[i] = (1 << 20) + 16 * piece_value[captured] +
					 piece_value[MOVE_PROMOTION(m)] -
					 piece_value[MOVE_PIECE(m)] / 8;
		else if (m == e->killer[ply][0] || m == e->killer[ply][1])
			list->score[i] = 1 << 19;
		else
			list->score[i] = e->history[p->turn][m & 4095];
	}
}

static uint32_t pick_move(struct move_list *list, int at)
{
	int best = at;
	uint32_t move;

	for (int i = at + 1; i < list->size; i++)
		if (list->score[i] > list->score[best])
			best = i;
	move = list->move[best];
	list->move[best] = list->move[at];
	list->score[best] = list->score[at];
	return move;
}

static int quiesce(struct engine *e, const struct position *p, int alpha, int beta, int ply)
{
	struct move_list list;
	int best = evaluate(e, p);

	e->nodes++;
	if (best >= beta || ply >= MAX_PLY - 1 || e->exact)
		return best;
	if (best > alpha)
		alpha = best;
	generate(p, &list, 1);
	score_moves(e, p, &list, 0, ply);
	for (int i = 0; i < list.size; i++) {
		uint32_t m = pick_move(&list, i);
		struct position after;
		int score;

		if (piece_value[MOVE_CAPTURED(m)] < piece_value[MOVE_PIECE(m)] &&
		    static_exchange(p, m) < 0)
			continue;
		if (!try_move(p, m, &after))
			continue;
		score = -quiesce(e, &after, -beta, -alpha, ply + 1);
		if (score > best)
			best = score;
		if (score >= beta)
			break;
		if (score > alpha)
			alpha = score;
	}
	return best;
}

static void remember_cutoff(struct engine *e, const struct position *p, uint32_t m, int depth,
			    int ply)
{
	int *history = &e->history[p->turn][m & 4095];

	if (MOVE_CAPTURED(m) != NONE)
		return;
	if (m != e->killer[ply][0]) {
		e->killer[ply][1] = e->killer[ply][0];
		e->killer[ply][0] = m;
	}
	*history += depth * depth;
	if (*history > 1 << 16)
		*history /= 2;
}

static int search(struct engine *e, const struct position *p, int depth, int alpha, int beta,
		  int ply, int may_pass)
{
	struct slot *slot = &e->slot[p->key & e->slot_mask];
	struct move_list list;
	struct position after;
	int checked = in_check(p, p->turn), best = -INFINITE, first_alpha = alpha;
	uint32_t hash_move = 0, best_move = 0;

	depth += checked && !e->exact;
	if (depth <= 0 || ply >= MAX_PLY - 1)
		return quiesce(e, p, alpha, beta, ply);
	e->nodes++;
	if (slot->key == p->key) {
		hash_move = slot->move;
		if (ply > 0 && (e->exact ? slot->depth == depth : slot->depth >= depth) &&
		    (slot->kind == EXACT || (slot->kind == AT_LEAST && slot->score >= beta) ||
		     (slot->kind == AT_MOST && slot->score <= alpha)))
			return slot->score;
	}
	if (may_pass && !checked && !e->exact && depth >= 3 && evaluate(e, p) >= beta &&
	    (p->side[p->turn] & ~p->piece[p->turn][PAWN] & ~p->piece[p->turn][KING])) {
		after = *p;
		after.key ^= position_state_key(&after);
		after.en_passant = NO_SQUARE;
		after.turn = !after.turn;
		after.key ^= position_state_key(&after);
		if (-search(e, &after, depth - 3, -beta, -beta + 1, ply + 1, 0) >= beta)
			return beta;
	}
	generate(p, &list, 0);
	score_moves(e, p, &list, hash_move, ply);
	for (int i = 0; i < list.size; i++) {
		uint32_t m = pick_move(&list, i);
		int score;

		if (!try_move(p, m, &after))
			continue;
		score = -search(e, &after, depth - 1, -beta, -alpha, ply + 1, 1);
		if (e->nodes >= e->node_limit)
			return 0;
		if (score > best) {
			best = score;
			best_move = m;
		}
		if (score > alpha)
			alpha = score;
		if (alpha >= beta) {
			remember_cutoff(e, p, m, depth, ply);
			break;
		}
	}
	/* The exact search counts mates without their distance, so that depth is all it needs. */
	if (best == -INFINITE)
		return !checked ? 0 : e->exact ? -MATE : -MATE + ply;
	slot->key = p->key;
	slot->move = best_move;
	slot->score = (int16_t)best;
	slot->depth = (int8_t)depth;
	slot->kind = (uint8_t)(best >= beta ? AT_LEAST : best > first_alpha ? EXACT : AT_MOST);
	if (ply == 0)
		e->best_move = best_move;
	return best;
}

static int minimax(struct engine *e, const struct position *p, int depth)
{
	struct move_list list;
	int best = -INFINITE;

	if (depth == 0)
		return evaluate(e, p);
	generate(p, &list, 0);
	for (int i = 0; i < list.size; i++) {
		struct position after;

		if (try_move(p, list.move[i], &after)) {
			int score = -minimax(e, &after, depth - 1);

			if (score > best)
				best = score;
		}
	}
	if (best == -INFINITE)
		return in_check(p, p->turn) ? -MATE : 0;
	return best;
}

static void position_mirror(const struct position *p, struct position *m)
{
	memset(m, 0, sizeof(*m));
	memset(m->on, NONE, sizeof(m->on));
	m->turn = !p->turn;
	m->castling = (p->castling >> 2) | (p->castling & 3) << 2;
	m->en_passant = p->en_passant == NO_SQUARE ? NO_SQUARE : p->en_passant ^ 56;
	for (int s = 0; s < 64; s++)
		if (p->on[s] != NONE)
			position_put(m, (p->side[BLACK] >> s & 1) ? WHITE : BLACK, p->on[s],
				     s ^ 56);
	m->key ^= position_state_key(m);
}

static void check_position(struct workload *w, struct engine *e, const struct position *p)
{
	struct position mirrored, twice;

	position_mirror(p, &mirrored);
	position_mirror(&mirrored, &twice);
	workload_check(w, twice.key == p->key && twice.pawn_key == p->pawn_key,
		       "keys kept move by move equal keys made anew");
	workload_check(w, evaluate(e, p) == evaluate(e, &mirrored),
		       "the evaluation does not depend on colour");
	workload_check(w, !in_check(p, !p->turn), "the side that moved is not in check");
}

static void play_opening(struct workload *w, struct position *p, int plies)
{
	for (int i = 0; i < plies; i++) {
		struct move_list list;
		struct position after;

		generate(p, &list, 0);
		for (int attempt = 0; attempt < 100 && list.size > 0; attempt++)
			if (try_move(p, list.move[workload_below(w, (uint32_t)list.size)],
				     &after)) {
				*p = after;
				break;
			}
	}
}

/* Deepens until the nodes for this move are spent; an iteration cut short does not count. */
static int think(struct engine *e, const struct position *p, int depth, uint64_t nodes)
{
	uint64_t limit = e->nodes + nodes;
	int score = 0;

	e->best_move = 0;
	memset(e->killer, 0, sizeof(e->killer));
	for (int d = 1; d <= depth && e->nodes < limit; d++) {
		int found;

		e->node_limit = d == 1 ? UINT64_MAX : limit;
		found = search(e, p, d, -INFINITE, INFINITE, 0, 0);
		if (e->nodes < e->node_limit)
			score = found;
	}
	e->node_limit = UINT64_MAX;
	return score;
}

static void play_game(struct workload *w, struct engine *e, struct position *p, int moves,
		      int depth, uint64_t nodes)
{
	for (int i = 0; i < moves; i++) {
		int score = think(e, p, depth, nodes);

		workload_digest(w, (uint64_t)(score + INFINITE) << 32 | e->best_move);
		if (!e->best_move)
			return;
		position_move(p, e->best_move);
		check_position(w, e, p);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		int perft_depth, games, moves, depth, nodes, exact_depth, slot_bits;
	} plan[] = {{1, 1, 1, 3, 120, 1, 10}, {2, 4, 2, 6, 500, 2, 16}, {3, 12, 4, 8, 1500, 3, 18}};
	static const uint64_t start_perft[] = {1, 20, 400, 8902},
			      busy_perft[] = {1, 48, 2039, 97862};
	static const uint64_t bare_perft[] = {1, 14, 191, 2812, 43238};
	static const char start[] = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
	static const char busy[] = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R";
	static const char bare[] = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8";
	struct workload w = workload_begin("chess", argc, argv);
	struct engine *e = workload_alloc(sizeof(*e));
	int perft_depth = plan[w.size].perft_depth, exact_depth = plan[w.size].exact_depth;
	struct position p;

	init_tables(&w);
	e->slot_mask = BIT(plan[w.size].slot_bits) - 1;
	e->slot = workload_alloc((e->slot_mask + 1) * sizeof(*e->slot));
	position_parse(&p, start, 15);
	workload_check(&w, perft(&p, perft_depth) == start_perft[perft_depth],
		       "move sequences from the initial position");
	position_parse(&p, busy, 15);
	workload_check(&w, perft(&p, perft_depth) == busy_perft[perft_depth],
		       "move sequences from a position with every kind of move");
	position_parse(&p, bare, 0);
	workload_check(&w, perft(&p, perft_depth + 1) == bare_perft[perft_depth + 1],
		       "move sequences from an ending with pins and en passant");
	for (int game = 0; game < plan[w.size].games; game++) {
		position_parse(&p, start, 15);
		play_opening(&w, &p, 8 + (int)workload_below(&w, 12));
		play_game(&w, e, &p, plan[w.size].moves, plan[w.size].depth,
			  (uint64_t)plan[w.size].nodes);
	}
	workload_digest(&w, e->nodes);
	workload_digest(&w, p.key);
	e->exact = 1;
	memset(e->slot, 0, (e->slot_mask + 1) * sizeof(*e->slot));
	workload_check(&w,
		       search(e, &p, exact_depth, -INFINITE, INFINITE, 0, 0) ==
			       minimax(e, &p, exact_depth),
		       "alpha-beta finds the minimax value");
	free(e->slot);
	free(e);
	return workload_end(&w);
}
