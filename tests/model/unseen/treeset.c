/* Searches, inserts and rotates in a splay tree: long chains of misses and stores through pointers.
 */
#include "../../../workloads/workload.h"

#define NODES 8000
#define FINDS 40000

struct node {
	struct node *left, *right;
	uint64_t key;
	uint64_t unused[5];
};

static struct node *splay(struct node *t, uint64_t key)
{
	struct node head = {NULL, NULL, 0, {0}}, *l = &head, *r = &head, *y;

	while (t && key != t->key) {
		if (key < t->key) {
			if (t->left && key < t->left->key) {
				y = t->left;
				t->left = y->right;
				y->right = t;
				t = y;
			}
			if (!t->left)
				break;
			r->left = t;
			r = t;
			t = t->left;
		} else {
			if (t->right && key > t->right->key) {
				y = t->right;
				t->right = y->left;
				y->left = t;
				t = y;
			}
			if (!t->right)
				break;
			l->right = t;
			l = t;
			t = t->right;
		}
	}
	if (!t)
		return NULL;
	l->right = t->left;
	r->left = t->right;
	t->left = head.right;
	t->right = head.left;
	return t;
}

int main(int argc, char **argv)
{
	struct workload w = workload_begin("treeset", argc, argv);
	struct node *nodes = calloc(NODES, sizeof(*nodes)), *root = NULL;
	unsigned found = 0, wanted = 0;

	for (uint64_t i = 0; i < NODES; i++) {
		struct node *n = &nodes[i * 4999 % NODES];

		n->key = (i * 2654435761U % NODES) * 2;
		root = splay(root, n->key);
		if (root && n->key < root->key) {
			n->left = root->left;
			n->right = root;
			root->left = NULL;
		} else if (root) {
			n->right = root->right;
			n->left = root;
			root->right = NULL;
		}
		root = n;
	}
	for (unsigned i = 0; i < FINDS; i++) {
		uint64_t key = workload_random(&w) % (2 * NODES);

		root = splay(root, key);
		found += root->key == key;
		wanted += key % 2 == 0;
	}
	printf("treeset %s %u\n", found == wanted ? "ok" : "WRONG", found);
	return found != wanted;
}
